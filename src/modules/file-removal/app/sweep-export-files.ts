import { LIMITS } from '../../../kernel/limits.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { FileRemovals } from './file-removals.js';
import type { Stores } from './remove-files.js';

const UNUSED_MS = LIMITS.fileUnusedSeconds.value * 1000;

/** Port: files of all organizations that were not put within the last `unusedMs`. */
export interface UnusedFiles {
  unused(unusedMs: number): AsyncIterable<{ readonly organizationId: string; readonly storageKey: string }>;
}

/**
 * Removes pieces of exports that no row has ever named: a redaction ended the export, or the process was killed, between the
 * file and its row. They hold values of the trail, so they must not stay (decision record 0053).
 */
export class SweepExportFiles {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly removals: Pick<FileRemovals, 'isNamed'>,
    private readonly files: UnusedFiles & Stores['audit_export'],
  ) {}

  /** @returns how many files went */
  async run(): Promise<number> {
    let removed = 0;
    for await (const { organizationId, storageKey } of this.files.unused(UNUSED_MS)) {
      const isNamed = await this.unitOfWork.withTenant(organizationId, (tx) =>
        this.removals.isNamed(tx, 'audit_export', storageKey),
      );
      if (!isNamed && (await this.files.remove(organizationId, storageKey, UNUSED_MS)) === 'removed') removed++;
    }
    return removed;
  }
}
