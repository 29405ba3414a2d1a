import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { StaffChange, StaffStore, StoredCode } from '../app/staff-store.js';
import type { OutsideIdentity, StaffRecord } from '../domain/staff-record.js';
import { columnOf, roleOf } from './staff-role.js';

type Prisma = ReturnType<typeof prismaOf>;
type PersonRow = NonNullable<Awaited<ReturnType<Prisma['staffPerson']['findFirst']>>>;

export class PrismaStaffStore implements StaffStore {
  async insert(tx: TenantTransaction, person: StaffRecord): Promise<void> {
    await prismaOf(tx).staffPerson.create({ data: rowOf(person) });
  }

  async insertIdentity(tx: TenantTransaction, person: StaffRecord, claimsAt: number): Promise<void> {
    const { organizationId } = tx;
    const found = await prismaOf(tx).$queryRaw<
      { id: string | null }[]
    >`SELECT find_organization(${organizationId}) AS id`;
    if (found[0]?.id == null) return;
    const data = { ...rowOf(person), claimsAt: new Date(claimsAt) };
    await prismaOf(tx).staffPerson.createMany({ data, skipDuplicates: true });
  }

  async find(tx: TenantTransaction, personId: string, purpose: 'read' | 'change'): Promise<StaffRecord | undefined> {
    const { organizationId } = tx;
    if (purpose === 'change')
      await prismaOf(tx).$queryRaw`SELECT FROM staff_persons WHERE person_id = ${personId} FOR UPDATE`;
    const row = await prismaOf(tx).staffPerson.findFirst({ where: { organizationId, personId } });
    return row === null ? undefined : toPerson(row);
  }

  async findIdentity(tx: TenantTransaction, { issuer, subject }: OutsideIdentity, purpose: 'read' | 'change') {
    const { organizationId } = tx;
    if (purpose === 'change')
      await prismaOf(tx)
        .$queryRaw`SELECT FROM staff_persons WHERE issuer = ${issuer} AND subject = ${subject} FOR UPDATE`;
    const row = await prismaOf(tx).staffPerson.findFirst({ where: { organizationId, issuer, subject } });
    return row === null ? undefined : { ...toPerson(row), claimsAt: row.claimsAt?.getTime() ?? 0 };
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly StaffRecord[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).staffPerson.findMany({
      where: { organizationId, ...(after === undefined ? {} : { personId: { gt: after } }) },
      orderBy: { personId: 'asc' },
      take: limit,
    });
    return rows.map(toPerson);
  }

  async change(tx: TenantTransaction, personId: string, change: StaffChange, at: number): Promise<void> {
    const { name, role, disabledAt } = change;
    await prismaOf(tx).staffPerson.updateMany({
      where: { organizationId: tx.organizationId, personId },
      data: {
        ...(name === undefined ? {} : { name }),
        ...(role === undefined ? {} : { role: columnOf(role) }),
        ...(disabledAt === undefined ? {} : { disabledAt: disabledAt === null ? null : new Date(disabledAt) }),
        version: { increment: 1 },
        updatedAt: new Date(at),
      },
    });
  }

  async noteClaims(tx: TenantTransaction, personId: string, claimsAt: number): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).staffPerson.updateMany({
      where: { organizationId, personId },
      data: { claimsAt: new Date(claimsAt) },
    });
  }

  async insertCode(tx: TenantTransaction, code: StoredCode): Promise<void> {
    const { codeId, personId, issuedBy } = code;
    await prismaOf(tx).staffCode.create({
      data: {
        organizationId: tx.organizationId,
        codeId,
        personId,
        issuedBy,
        codeHash: Uint8Array.from(code.codeHash),
        createdAt: new Date(code.createdAt),
        expiresAt: new Date(code.expiresAt),
      },
    });
  }

  async openCodes(tx: TenantTransaction, personId: string, now: number): Promise<readonly StoredCode[]> {
    const { organizationId } = tx;
    const rows = await prismaOf(tx).staffCode.findMany({
      where: { organizationId, personId, spentAt: null, expiresAt: { gt: new Date(now) } },
    });
    return rows.map((row) => ({
      codeId: row.codeId,
      personId: row.personId,
      codeHash: row.codeHash,
      issuedBy: row.issuedBy,
      createdAt: row.createdAt.getTime(),
      expiresAt: row.expiresAt.getTime(),
    }));
  }

  async spendCode(tx: TenantTransaction, codeId: string, at: number): Promise<boolean> {
    const { count } = await prismaOf(tx).staffCode.updateMany({
      where: { organizationId: tx.organizationId, codeId, spentAt: null },
      data: { spentAt: new Date(at) },
    });
    return count === 1;
  }

  async countAttempt(tx: TenantTransaction, personId: string, now: number, windowMs: number): Promise<number> {
    const [at, windowStart] = [new Date(now), new Date(now - windowMs)];
    const rows = await prismaOf(tx).$queryRaw<{ attempts: number }[]>`
      UPDATE staff_persons SET
        attempts = CASE WHEN attempts_since > ${windowStart} THEN attempts + 1 ELSE 1 END,
        attempts_since = CASE WHEN attempts_since > ${windowStart} THEN attempts_since ELSE ${at} END
      WHERE person_id = ${personId} RETURNING attempts`;
    return rows[0]?.attempts ?? 0;
  }

  async forgetAttempts(tx: TenantTransaction, personId: string): Promise<void> {
    const { organizationId } = tx;
    await prismaOf(tx).staffPerson.updateMany({
      where: { organizationId, personId },
      data: { attempts: 0, attemptsSince: null },
    });
  }

  async lastCodeIssuers(
    tx: TenantTransaction,
    personIds: readonly string[],
  ): Promise<ReadonlyMap<string, string | null>> {
    const rows = await prismaOf(tx).staffCode.findMany({
      where: { organizationId: tx.organizationId, personId: { in: [...personIds] }, spentAt: { not: null } },
      orderBy: [{ personId: 'asc' }, { spentAt: 'desc' }, { codeId: 'desc' }],
      distinct: ['personId'],
      select: { personId: true, issuedBy: true },
    });
    return new Map(rows.map(({ personId, issuedBy }) => [personId, issuedBy]));
  }

  async standing(tx: TenantTransaction, personIds: readonly string[]): Promise<readonly StaffRecord[]> {
    const { organizationId } = tx;
    const wanted = [...personIds];
    await prismaOf(tx)
      .$queryRaw`SELECT FROM staff_persons WHERE person_id = ANY (${wanted}) ORDER BY person_id FOR SHARE`;
    const rows = await prismaOf(tx).staffPerson.findMany({ where: { organizationId, personId: { in: wanted } } });
    return rows.map(toPerson);
  }
}

function rowOf({ identity, role, disabledAt, createdAt, updatedAt, ...rest }: StaffRecord) {
  return {
    ...rest,
    role: columnOf(role),
    issuer: identity?.issuer ?? null,
    subject: identity?.subject ?? null,
    disabledAt: disabledAt === null ? null : new Date(disabledAt),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

function toPerson(row: PersonRow): StaffRecord {
  const { organizationId, personId, name, role, issuer, subject, version } = row;
  return {
    organizationId,
    personId,
    name,
    role: roleOf(role),
    identity: issuer === null || subject === null ? null : { issuer, subject },
    disabledAt: row.disabledAt?.getTime() ?? null,
    version,
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
  };
}
