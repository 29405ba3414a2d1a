/** A signed state of a log, as somebody kept it outside. */
export interface KeptStatement {
  /** Where it came from: the name of its file. */
  readonly name: string;
  /** The signed note. */
  readonly note: string;
}

/** What a note says that matters here. */
export interface StatedJournal {
  readonly origin: string;
  /** Hash of the newest entry when it was signed. */
  readonly journal?: string;
}

/**
 * `journal_older`: it names an entry that the journal does not have, so the journal was put back to before it. `names_no_entry`: there was
 * none yet, or the note is of an older version: it says nothing of the journal. `not_signed`: by no key of this installation.
 */
export type StatementState = 'in_journal' | 'journal_older' | 'names_no_entry' | 'not_signed';

export interface StatementFinding {
  readonly name: string;
  readonly origin: string | null;
  readonly state: StatementState;
}

/**
 * Holds kept statements against the journal.
 * @param open undefined for what no key signed
 * @param lines hashes of all lines of the journal
 */
export function compareStatements(
  kept: readonly KeptStatement[],
  open: (note: string) => StatedJournal | undefined,
  lines: ReadonlySet<string>,
): readonly StatementFinding[] {
  return kept.map(({ name, note }) => {
    const stated = open(note);
    if (stated === undefined) return { name, origin: null, state: 'not_signed' };
    const { origin, journal } = stated;
    if (journal === undefined) return { name, origin, state: 'names_no_entry' };
    return { name, origin, state: lines.has(journal) ? 'in_journal' : 'journal_older' };
  });
}
