import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { AccessHistory } from '../app/access-history.js';
import type { AccessFact, End } from '../domain/access-fact.js';
import { withSuccession } from '../domain/access-fact.js';
import { endOfKeyEver } from '../domain/key-life.js';

type Prisma = ReturnType<typeof prismaOf>;
type DelegationRow = Awaited<ReturnType<Prisma['groupDelegation']['findMany']>>[number];
type GrantRow = Awaited<ReturnType<Prisma['grant']['findMany']>>[number];
type KeyRow = Awaited<ReturnType<Prisma['apiKey']['findMany']>>[number];
type KeyVersionRow = Awaited<ReturnType<Prisma['apiKeyVersion']['findMany']>>[number];

const NOTHING = { role: null, restsOn: null, profiles: [], scopes: [], networks: [], unknown: [] } as const;

/** Reads keys, grants and group delegations with every version that there ever was. */
export class PrismaAccessHistory implements AccessHistory {
  async facts(tx: TenantTransaction, begunBy: number): Promise<readonly AccessFact[]> {
    const prisma = prismaOf(tx);
    const begun = { where: { organizationId: tx.organizationId, createdAt: { lte: new Date(begunBy) } } };
    // Those that came later say when older versions ended: they are read too, and left out by their beginning.
    const all = { where: { organizationId: tx.organizationId }, orderBy: { version: 'asc' } } as const;
    const delegations = await prisma.groupDelegation.findMany(begun);
    const grants = await prisma.grant.findMany(all);
    const keys = await prisma.apiKey.findMany(begun);
    const versions = await prisma.apiKeyVersion.findMany(all);
    const delegationsById = new Map(delegations.map((row) => [row.delegationId, row]));
    return [
      ...delegations.flatMap(factOfDelegation),
      ...grouped(grants, (row) => row.grantId).flatMap((rows) =>
        withSuccession(rows.map((row) => factOfGrant(row, delegationsById.get(row.delegationId ?? '')))),
      ),
      ...keyFacts(keys, versions),
    ];
  }
}

function factOfDelegation(row: DelegationRow): readonly AccessFact[] {
  if (row.inForceAt === null) return []; // a draft lets nobody in
  return [
    {
      ...NOTHING,
      ...{ kind: 'delegation', id: row.delegationId, version: 1, holder: row.grantee, scopes: row.scopes },
      rooftops: row.covers === 'all' ? 'all' : row.rooftopIds,
      from: row.inForceAt.getTime(),
      ends: [{ at: row.expiresAt.getTime(), reason: 'expired' }, ...revocation(row.revokedAt)],
    },
  ];
}

function factOfGrant(row: GrantRow, delegation: DelegationRow | undefined): AccessFact {
  const ends: End[] = [{ at: row.expiresAt.getTime(), reason: 'expired' }, ...revocation(row.revokedAt)];
  if (delegation !== undefined)
    for (const end of [delegation.expiresAt, delegation.revokedAt])
      if (end !== null) ends.push({ at: end.getTime(), reason: 'delegation_ended' });
  const ownRooftops = row.delegationId === null ? row.rooftopIds : [];
  const delegated = delegation?.covers === 'all' ? 'all' : delegation?.rooftopIds;
  return {
    ...{ kind: 'grant', id: row.grantId, version: row.version, holder: row.subject, role: null, networks: [] },
    restsOn: row.delegationId,
    rooftops: delegated ?? ownRooftops,
    profiles: row.profiles,
    // Never more than the delegation behind it.
    scopes: delegation === undefined ? row.scopes : row.scopes.filter((scope) => delegation.scopes.includes(scope)),
    unknown: [],
    from: row.createdAt.getTime(),
    ends,
  };
}

function keyFacts(keys: readonly KeyRow[], versions: readonly KeyVersionRow[]): readonly AccessFact[] {
  const versionsOf = new Map(grouped(versions, (row) => row.keyId).map((rows) => [rows[0]?.keyId, rows]));
  return keys.flatMap((key) => {
    const end = endOfKeyEver({
      expiresAt: key.expiresAt?.getTime() ?? null,
      revokedAt: key.revokedAt?.getTime() ?? null,
      retiresAt: key.retiresAt?.getTime() ?? null,
    });
    const facts = (versionsOf.get(key.keyId) ?? []).map((row): AccessFact => ({
      ...{ kind: 'key', id: key.keyId, version: row.version, holder: row.name, role: key.role },
      restsOn: key.grantId,
      rooftops: null,
      profiles: [],
      scopes: key.scopes,
      networks: row.networks,
      unknown: [],
      from: row.createdAt.getTime(),
      ends: end === undefined ? [] : [end],
    }));
    return withSuccession(facts);
  });
}

const revocation = (at: Date | null): readonly End[] => (at === null ? [] : [{ at: at.getTime(), reason: 'revoked' }]);

function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return [...groups.values()];
}
