import { describe, expect, it } from 'vitest';
import { compareStatements, type StatedJournal } from './compare-statements.js';

const ENTRY = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const stateOf = (stated: StatedJournal | undefined, lines: readonly string[]): object =>
  compareStatements([{ name: 'monday.note', note: 'text' }], () => stated, new Set(lines));
const finding = (state: string, origin: string | null = 'gw/audit/org.a'): object[] => [
  { name: 'monday.note', origin, state },
];

describe('a statement that was kept outside', () => {
  it('says whether the journal has the entry that was the newest when it was signed', () => {
    const stated = { origin: 'gw/audit/org.a', journal: ENTRY };
    expect(stateOf(stated, [OTHER, ENTRY])).toEqual(finding('in_journal'));
    expect(stateOf(stated, [OTHER])).toEqual(finding('journal_older'));
    expect(stateOf(stated, []), 'a journal that is not there').toEqual(finding('journal_older'));
  });

  it('is never taken for a good one where it says nothing, or nobody of ours said it', () => {
    expect(stateOf({ origin: 'gw/audit/org.a' }, [ENTRY])).toEqual(finding('names_no_entry'));
    expect(stateOf(undefined, [ENTRY])).toEqual(finding('not_signed', null));
  });
});
