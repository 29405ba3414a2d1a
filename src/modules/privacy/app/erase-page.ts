import type { SubjectRecord } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RulesInForce } from '../../retention/index.js';
import { type PlaceTally, type Verdict, withVerdict } from '../domain/place-tally.js';
import { decideErasure, type ErasureAsked } from './decide-erasure.js';
import type { RegisteredPlace } from './subject-register.js';

/** Records of one place that are looked at in one transaction: how long a hold may have to wait for it. */
export const RECORDS_AT_ONCE = 500;

export interface ErasedPage {
  readonly tally: PlaceTally;
  /** Id of the last record; undefined when the place has no more. */
  readonly after: string | undefined;
}

/**
 * Erases the next records of one place, those aside that a hold, a floor or a proof keeps. The transaction has the holds' lock,
 * taken in a statement before: what is read here is read after it, so that no hold is missed (migration 19).
 */
export async function erasePage(
  tx: TenantTransaction,
  { place, data }: RegisteredPlace,
  tally: PlaceTally,
  step: {
    readonly asked: ErasureAsked;
    readonly rules: RulesInForce | undefined;
    readonly now: number;
    readonly after: string;
  },
): Promise<ErasedPage> {
  const { asked, rules, now, after } = step;
  const page = await data.records(tx, place, asked.names, { after, limit: RECORDS_AT_ONCE });
  const verdicts = page.map((record): [SubjectRecord, Verdict] => [record, decideErasure(record, rules, asked, now)]);
  const recordIds = verdicts.flatMap(([{ recordId }, { goes }]) => (goes ? [recordId] : []));
  const erased = recordIds.length === 0 ? [] : await data.erase(tx, place, asked.names, { ...asked, recordIds });
  if (new Set(erased).size !== recordIds.length) throw new Error(`what is to be erased of ${place} changed meanwhile`);
  return {
    tally: verdicts.reduce((sum, [, verdict]) => withVerdict(sum, verdict), tally),
    after: page.length < RECORDS_AT_ONCE ? undefined : page.at(-1)?.recordId,
  };
}
