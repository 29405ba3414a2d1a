/** What can let somebody in. */
export type AccessKind = 'agent_client' | 'delegation' | 'grant' | 'issuer' | 'key' | 'person';

/** Why something ended. `superseded`: by a newer version of the same. */
export type EndReason =
  'revoked' | 'expired' | 'retired' | 'superseded' | 'delegation_ended' | 'issuer_revoked' | 'disabled';

/** An end and its reason. Milliseconds. */
export interface End {
  readonly at: number;
  readonly reason: EndReason;
}

/** One thing that let somebody in, in one version, with the time from which it did and everything that ended it. */
export interface AccessFact {
  readonly kind: AccessKind;
  readonly id: string;
  readonly version: number;
  /** Who holds it: a person or program, or the subject of an agent. */
  readonly holder: string;
  readonly role: string | null;
  /** What it carries or rests on: a grant, or a delegation. */
  readonly restsOn: string | null;
  /** Null where it reaches no rooftops by itself. */
  readonly rooftops: 'all' | readonly string[] | null;
  readonly profiles: readonly string[];
  readonly scopes: readonly string[];
  readonly networks: readonly string[];
  /** What of it nobody knows for that time: its history begins later, or was disposed of. Unknown is not none. */
  readonly unknown: readonly ('role' | 'rests_on')[];
  /** Milliseconds: from when on it counted. */
  readonly from: number;
  /** Every end that is known, also those to come. */
  readonly ends: readonly End[];
}

/** The first of all ends: what comes later ends nothing any more. */
export function endOf({ ends }: Pick<AccessFact, 'ends'>): End | undefined {
  return ends.reduce<End | undefined>(
    (first, end) => (first === undefined || end.at < first.at ? end : first),
    undefined,
  );
}

/** Whether it counted at a time: from its beginning on, until its end. */
export function countedAt(fact: Pick<AccessFact, 'from' | 'ends'>, at: number): boolean {
  const end = endOf(fact);
  return fact.from <= at && (end === undefined || at < end.at);
}

/** Where a fact stands in the report; no two stand at one place. */
export const positionOf = ({ kind, id, version }: AccessFact): string =>
  `${kind}:${id}:${String(version).padStart(10, '0')}`;

/** What counted at a time, in the order of the report. */
export function reviewAt(facts: readonly AccessFact[], at: number): readonly AccessFact[] {
  return facts.filter((fact) => countedAt(fact, at)).toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1));
}

/** Ends every version but the last where the next one begins. @param versions of one thing, ascending */
export function withSuccession(versions: readonly AccessFact[]): readonly AccessFact[] {
  return versions.map((fact, index) => {
    const next = versions[index + 1];
    return next === undefined ? fact : { ...fact, ends: [...fact.ends, { at: next.from, reason: 'superseded' }] };
  });
}

/** Takes away what had gone to another organization: whoever names it reached it no more. */
export function withoutRooftops(facts: readonly AccessFact[], gone: readonly string[]): readonly AccessFact[] {
  if (gone.length === 0) return facts;
  return facts.map((fact) =>
    Array.isArray(fact.rooftops)
      ? { ...fact, rooftops: fact.rooftops.filter((id: string) => !gone.includes(id)) }
      : fact,
  );
}
