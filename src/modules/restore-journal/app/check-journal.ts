import { compareMarks, type Comparison, type LyingSegment } from '../domain/compare-marks.js';
import type { KeptStatement, StatementFinding } from '../domain/compare-statements.js';
import { readTail } from '../domain/read-segment.js';
import type { CheckStatements } from './check-statements.js';
import type { JournalMarks } from './journal-marks.js';
import type { JournalStorage } from './journal-storage.js';

/** What the gate looks at beside the journal: whether the records of the trail came out of another cluster. */
export interface AuditHorizon {
  isForeign(): Promise<boolean>;
  /** Puts the horizon where this cluster is. @returns how many records got their number thereby */
  reset(): Promise<number>;
}

export interface JournalCheck extends Comparison {
  /** No folder is configured, and none ever was. */
  readonly unconfigured: boolean;
  readonly foreignHorizon: boolean;
  /** What statements kept outside say of the journal. */
  readonly statements: readonly StatementFinding[];
}

const TAIL_BYTES = 16_384;

/**
 * Compares the journal's ends with what the database knows: some small reads and one query. Whether everything before is
 * intact is looked at when it is replayed.
 */
export class CheckJournal {
  constructor(
    private readonly storage: JournalStorage | undefined,
    private readonly marks: JournalMarks,
    private readonly horizon: AuditHorizon,
    private readonly statements: CheckStatements,
  ) {}

  /**
   * @param kept statements beside those that are looked at at every start
   * @throws Error when the journal, a statement or the database cannot be read.
   */
  async run(kept: readonly KeptStatement[] = []): Promise<JournalCheck> {
    // Others may be writing. What the database held before must be in the journal, and what the journal holds must have been
    // announced by afterwards.
    const before = new Map((await this.marks.read()).map((mark) => [mark.segmentId, mark.last]));
    const lying: LyingSegment[] = [];
    if (this.storage !== undefined)
      for (const segmentId of await this.storage.list())
        lying.push(await look(this.storage, segmentId, before.get(segmentId)?.seq));
    const after = await this.marks.read();
    const { findings } = compareMarks(
      after.map((mark) => ({ ...mark, last: before.get(mark.segmentId) })),
      lying,
    );
    return {
      findings,
      unsettled: compareMarks(after, lying).unsettled,
      unconfigured: this.storage === undefined && after.length === 0,
      foreignHorizon: await this.horizon.isForeign(),
      statements: await this.statements.run(kept),
    };
  }
}

/** From the end back to the entry that the database knows as the last. */
async function look(storage: JournalStorage, segmentId: string, backTo: number | undefined): Promise<LyingSegment> {
  for (let wanted = TAIL_BYTES; ; wanted *= 4) {
    const { bytes, whole } = await storage.tail(segmentId, wanted);
    const hashes = readTail(bytes);
    const enough = backTo === undefined ? hashes.size > 0 : hashes.has(backTo);
    if (whole || enough) return { segmentId, lastSeq: Math.max(0, ...hashes.keys()), hashes };
  }
}
