import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newMoveId, PLATFORM_TENANT } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { KeepRooftops } from '../../tenancy/index.js';
import type { PlatformChanges } from './platform-change.js';
import type {
  CarriedOutMove,
  Page,
  RooftopMove,
  RooftopTransfer,
  RooftopTransferStore,
} from './rooftop-transfer-store.js';

const DAY_MS = 86_400_000;

/** What the other side must name: both halves have to fit. */
export interface AcceptedOffer {
  readonly moveId: string;
  readonly rooftopId: string;
  readonly fromOrganizationId: string;
}

/**
 * Use cases: a rooftop changes hands (a store is sold). The organization that has it offers it, the one that gets it accepts,
 * and an operator carries the move out. Neither side can see the other's half, nor learn by writing one whether an organization,
 * a rooftop or an offer exists.
 */
export class MoveRooftop {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RooftopTransferStore,
    private readonly rooftops: KeepRooftops,
    private readonly changes: PlatformChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws Failure `resource.not_found` for a rooftop that the organization does not have. */
  async offer(
    organizationId: string,
    rooftopId: string,
    toOrganizationId: string,
    origin: ChangeOrigin,
  ): Promise<RooftopTransfer> {
    await this.rooftops.find(organizationId, rooftopId);
    const half = { moveId: newMoveId(), side: 'offer', rooftopId, otherOrganizationId: toOrganizationId } as const;
    return this.write(organizationId, half, origin);
  }

  /** @throws Failure `input.precondition` when the organization has accepted this offer before. */
  accept(organizationId: string, accepted: AcceptedOffer, origin: ChangeOrigin): Promise<RooftopTransfer> {
    const { moveId, rooftopId, fromOrganizationId } = accepted;
    const half = { moveId, side: 'acceptance', rooftopId, otherOrganizationId: fromOrganizationId } as const;
    return this.write(organizationId, half, origin);
  }

  /** Takes the own half back, as long as the move has not been carried out. @throws Failure `resource.not_found`. */
  withdraw(organizationId: string, moveId: string, origin: ChangeOrigin): Promise<RooftopTransfer> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const withdrawn = await this.store.withdraw(tx, moveId, this.clock.now());
      if (withdrawn === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      await this.changes.recordOwn(tx, origin, {
        operation: 'rooftop_moves.withdraw',
        rooftopIds: [withdrawn.rooftopId],
        resourceIds: [moveId],
        hashes: changeHashes({ ...withdrawn, withdrawnAt: null }, withdrawn),
      });
      return withdrawn;
    });
  }

  halves(organizationId: string, page: Page): Promise<readonly RooftopTransfer[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  moves(page: Page): Promise<readonly RooftopMove[]> {
    return this.unitOfWork.withTenant(PLATFORM_TENANT, (tx) => this.store.listMoves(tx, page));
  }

  /**
   * Carries out what both sides have agreed to, in one transaction: the rooftop keeps its id, the ids of its vehicles, its
   * settings and what it publishes, and is served by its new organization within two seconds. History and audit stay with the old
   * one. @throws Failure `input.precondition` while the two halves do not fit, or when the other side has a rooftop of that id.
   */
  carryOut(moveId: string, origin: ChangeOrigin): Promise<CarriedOutMove> {
    return this.unitOfWork.withTenant(PLATFORM_TENANT, async (tx) => {
      const moved = await this.store.carryOut(tx, moveId);
      await this.changes.record(tx, origin, [moved.fromOrganizationId, moved.toOrganizationId], {
        operation: 'rooftop_moves.carry_out',
        rooftopIds: [moved.rooftopId],
        resourceIds: [moveId, moved.fromOrganizationId, moved.toOrganizationId],
        hashes: changeHashes(
          { rooftopId: moved.rooftopId, organizationId: moved.fromOrganizationId },
          { rooftopId: moved.rooftopId, organizationId: moved.toOrganizationId },
        ),
      });
      return moved;
    });
  }

  private write(
    organizationId: string,
    half: Pick<RooftopTransfer, 'moveId' | 'side' | 'rooftopId' | 'otherOrganizationId'>,
    origin: ChangeOrigin,
  ): Promise<RooftopTransfer> {
    if (half.otherOrganizationId === organizationId) throw toItself(half.side);
    const createdAt = this.clock.now();
    const written = { ...half, createdAt, expiresAt: createdAt + LIMITS.rooftopOfferDays.value * DAY_MS };
    const transfer = { ...written, withdrawnAt: null, completedAt: null };
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      if (!(await this.store.insert(tx, written, origin.actor ?? 'forecourt')))
        throw new Failure('input.precondition', { reason: 'precondition_failed', auditReason: 'rooftop_move_known' });
      await this.changes.recordOwn(tx, origin, {
        operation: half.side === 'offer' ? 'rooftop_moves.offer' : 'rooftop_moves.accept',
        rooftopIds: [half.rooftopId],
        resourceIds: [half.moveId, half.otherOrganizationId],
        hashes: changeHashes(null, transfer),
      });
      return transfer;
    });
  }
}

const toItself = (side: RooftopTransfer['side']): Failure =>
  new Failure('input.invalid', {
    violations: [
      {
        pointer: side === 'offer' ? '/to_organization_id' : '/from_organization_id',
        keyword: 'not',
        explanation: 'is the organization itself',
      },
    ],
  });
