import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type {
  CarriedOutMove,
  Page,
  RooftopMove,
  RooftopTransfer,
  RooftopTransferStore,
} from '../app/rooftop-transfer-store.js';

type Prisma = ReturnType<typeof prismaOf>;
type TransferRow = NonNullable<Awaited<ReturnType<Prisma['rooftopTransfer']['findFirst']>>>;

interface MoveRow {
  readonly move_id: string;
  readonly rooftop_id: string;
  readonly from_organization_id: string;
  readonly to_organization_id: string;
  readonly offered_at: Date;
  readonly expires_at: Date;
  readonly accepted_at: Date | null;
  readonly withdrawn_at: Date | null;
  readonly completed_at: Date | null;
}

export class PrismaRooftopTransfers implements RooftopTransferStore {
  async insert(
    tx: TenantTransaction,
    { createdAt, expiresAt, ...transfer }: Omit<RooftopTransfer, 'withdrawnAt' | 'completedAt'>,
    author: string,
  ): Promise<boolean> {
    const times = { createdAt: new Date(createdAt), expiresAt: new Date(expiresAt) };
    const { count } = await prismaOf(tx).rooftopTransfer.createMany({
      data: { organizationId: tx.organizationId, ...transfer, ...times, author },
      skipDuplicates: true,
    });
    return count === 1;
  }

  async list(tx: TenantTransaction, { after, limit }: Page): Promise<readonly RooftopTransfer[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).rooftopTransfer.findMany({
      where: { organizationId, ...(after === undefined ? {} : { moveId: { gt: after } }) },
      orderBy: { moveId: 'asc' },
      take: limit,
    });
    return rows.map(toTransfer);
  }

  async withdraw(tx: TenantTransaction, moveId: string, at: number): Promise<RooftopTransfer | undefined> {
    const { organizationId } = tx;
    const { count } = await prismaOf(tx).rooftopTransfer.updateMany({
      where: { organizationId, moveId, withdrawnAt: null, completedAt: null },
      data: { withdrawnAt: new Date(at) },
    });
    const row = await prismaOf(tx).rooftopTransfer.findFirst({ where: { organizationId, moveId } });
    return count === 0 || row === null ? undefined : toTransfer(row);
  }

  async listMoves(tx: TenantTransaction, { after = '', limit }: Page): Promise<readonly RooftopMove[]> {
    const rows = await prismaOf(tx).$queryRaw<MoveRow[]>`SELECT * FROM list_rooftop_moves(${after}, ${limit}::int)`;
    return rows.map((row) => ({
      moveId: row.move_id,
      rooftopId: row.rooftop_id,
      fromOrganizationId: row.from_organization_id,
      toOrganizationId: row.to_organization_id,
      offeredAt: row.offered_at.getTime(),
      expiresAt: row.expires_at.getTime(),
      acceptedAt: row.accepted_at?.getTime() ?? null,
      withdrawnAt: row.withdrawn_at?.getTime() ?? null,
      completedAt: row.completed_at?.getTime() ?? null,
    }));
  }

  async carryOut(tx: TenantTransaction, moveId: string): Promise<CarriedOutMove> {
    try {
      const rows = await prismaOf(tx).$queryRaw<CarriedOutMove[]>`
        SELECT rooftop_id AS "rooftopId", from_organization_id AS "fromOrganizationId", to_organization_id AS "toOrganizationId", units
        FROM move_rooftop(${moveId})`;
      const [moved] = rows;
      if (moved === undefined) throw new Error('a move without a result');
      return moved;
    } catch (error) {
      throw moveFailure(error);
    }
  }
}

/** The function says what is wrong in words that only it uses. */
function moveFailure(error: unknown): unknown {
  const text = error instanceof Error ? `${error.message} ${String(error.cause)}` : '';
  if (text.includes('the id is taken'))
    return new Failure('input.precondition', {
      reason: 'precondition_failed',
      auditReason: 'rooftop_id_taken',
      cause: error,
    });
  if (/both sides must have agreed|was withdrawn|is not there any more/.test(text))
    return new Failure('input.precondition', {
      reason: 'precondition_failed',
      auditReason: 'rooftop_move_not_agreed',
      cause: error,
    });
  return error;
}

function toTransfer(row: TransferRow): RooftopTransfer {
  const { moveId, rooftopId, otherOrganizationId } = row;
  return {
    ...{ moveId, rooftopId, otherOrganizationId },
    side: row.side as RooftopTransfer['side'],
    createdAt: row.createdAt.getTime(),
    expiresAt: row.expiresAt.getTime(),
    withdrawnAt: row.withdrawnAt?.getTime() ?? null,
    completedAt: row.completedAt?.getTime() ?? null,
  };
}
