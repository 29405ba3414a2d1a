import type { AccessFact, End } from './access-fact.js';
import { withSuccession } from './access-fact.js';

/** One time that an organization trusted an issuer. Times are milliseconds. */
export interface IssuerTrust {
  readonly id: string;
  readonly issuer: string;
  readonly from: number;
  readonly revokedAt: number | null;
}

/** An agent client and every grant that it carried, as far as it is kept. Times are milliseconds. */
export interface ClientHistory {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** Ascending. What lies before the first one is not known: it was not kept yet, or was disposed of. */
  readonly versions: readonly { readonly version: number; readonly grantId: string | null; readonly from: number }[];
}

const NOTHING = { role: null, rooftops: null, profiles: [], scopes: [], networks: [] } as const;

export function factOfIssuer({ id, issuer, from, revokedAt }: IssuerTrust): AccessFact {
  const what = { kind: 'issuer', id, version: 1, holder: issuer, restsOn: null, unknown: [] } as const;
  return { ...NOTHING, ...what, from, ends: endAt(revokedAt, 'revoked') };
}

/**
 * The versions of a client, each as long as its issuer was trusted.
 * @param trusts of its issuer; undefined: an issuer that needs none, the embedded one
 */
export function factsOfClient(
  client: ClientHistory,
  trusts: readonly IssuerTrust[] | undefined,
): readonly AccessFact[] {
  const { createdAt, revokedAt, versions } = client;
  const always = { ...NOTHING, kind: 'agent_client', id: client.id, holder: client.name } as const;
  const ends = endAt(revokedAt, 'revoked');
  const before: AccessFact = { ...always, version: 0, restsOn: null, unknown: ['rests_on'], from: createdAt, ends };
  const known = versions.map(({ version, grantId, from }): AccessFact => ({
    ...always,
    version,
    restsOn: grantId,
    unknown: [],
    from,
    ends,
  }));
  const [first] = versions;
  const all = withSuccession(first !== undefined && first.from <= createdAt ? known : [before, ...known]);
  if (trusts === undefined) return all;
  return all.flatMap((fact) =>
    trusts.map((trust) => ({
      ...{ ...fact, from: Math.max(fact.from, trust.from) },
      ends: [...fact.ends, ...endAt(trust.revokedAt, 'issuer_revoked')],
    })),
  );
}

const endAt = (at: number | null, reason: End['reason']): readonly End[] => (at === null ? [] : [{ at, reason }]);
