import {
  compareStatements,
  type KeptStatement,
  type StatedJournal,
  type StatementFinding,
} from '../domain/compare-statements.js';
import { readTail } from '../domain/read-segment.js';
import type { JournalStorage } from './journal-storage.js';

/** Port: statements that the operator left for every start. */
export interface KeptStatements {
  /** @throws Error when they cannot be read: what is not known is not in order. */
  read(): Promise<readonly KeptStatement[]>;
}

/**
 * Notices a journal that was put back together with the database: both agree then, and only a statement that somebody kept outside names
 * an entry which neither has (decision 21, decision record 0057).
 */
export class CheckStatements {
  constructor(
    private readonly storage: JournalStorage | undefined,
    private readonly kept: KeptStatements,
    private readonly open: (note: string) => StatedJournal | undefined,
  ) {}

  /**
   * Reads the whole journal where there is a statement, and nothing where there is none.
   * @param given statements beside those that were left for every start
   * @throws Error when the journal or a statement cannot be read.
   */
  async run(given: readonly KeptStatement[]): Promise<readonly StatementFinding[]> {
    const kept = [...(await this.kept.read()), ...given];
    if (kept.length === 0) return [];
    return compareStatements(kept, this.open, await this.lines());
  }

  private async lines(): Promise<ReadonlySet<string>> {
    const lines = new Set<string>();
    for (const segmentId of (await this.storage?.list()) ?? [])
      for (const hash of readTail((await this.storage?.read(segmentId)) ?? Buffer.alloc(0)).values()) lines.add(hash);
    return lines;
  }
}
