import { LIMITS } from '../../../kernel/limits.js';
import type { ContentStore, FileKind } from '../../../kernel/ports/content-store.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { DueRemoval, FileRemovals, FileToRemove } from './file-removals.js';

const AT_ONCE = 100;
const UNUSED_MS = LIMITS.fileUnusedSeconds.value * 1000;
const LONGEST_PAUSE_MS = 3_600_000;

export type Stores = Readonly<Record<FileKind, Pick<ContentStore, 'remove'>>>;

/**
 * Removes files after the rows that named them have gone for good. It may die anywhere: a removal has ended once that is
 * committed, and a file that is gone already is no failure.
 */
export class RemoveFiles {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly removals: FileRemovals,
    private readonly stores: Stores,
  ) {}

  /** @returns how many removals were worked on; one that fails waits and stops no other */
  async run(): Promise<number> {
    let worked = 0;
    for (const one of await this.removals.due(AT_ONCE)) if (await this.remove(one)) worked++;
    return worked;
  }

  /** @returns false for one that another process works on */
  private remove({ organizationId, removalId }: DueRemoval): Promise<boolean> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const file = await this.removals.take(tx, removalId);
      if (file === undefined) return false;
      try {
        const found = await this.outcomeOf(organizationId, file);
        if (found === 'in_use') await this.removals.postpone(tx, removalId, UNUSED_MS, null);
        else await this.removals.end(tx, removalId, found);
      } catch (error) {
        const pause = Math.min(LONGEST_PAUSE_MS, 10_000 * 2 ** Math.min(file.failures, 10));
        await this.removals.postpone(tx, removalId, pause, codeOf(error));
      }
      return true;
    });
  }

  private async outcomeOf(
    organizationId: string,
    { kind, storageKey, isNamed }: FileToRemove,
  ): Promise<'kept' | 'removed' | 'absent' | 'in_use'> {
    return isNamed ? 'kept' : this.stores[kind].remove(organizationId, storageKey, UNUSED_MS);
  }
}

/** A code of the file system such as `EACCES`; never its text, which has paths. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'unknown';
}
