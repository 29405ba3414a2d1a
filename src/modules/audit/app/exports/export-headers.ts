import type { ExportHeader } from '../../domain/audit-export.js';
import { EXPORT_FORMAT, HELD_EXPORT_FORMAT } from '../../domain/audit-export.js';
import { rangeRoot } from '../../domain/log/merkle-proof.js';
import { subtreesOf } from '../../domain/log/subtrees.js';
import { subtreeRootsFrom } from '../../domain/log/tiles.js';
import type { AuditLogStore } from '../audit-log-store.js';
import { logOrigin } from '../log-names.js';
import type { AuditFilter } from '../audit-search.js';
import type { ExportedEntries } from './exported-entries.js';

/**
 * Makes the first line of an export: which rows, how many held records before them, and the hashes that close the tree on both
 * sides of the rows.
 */
export class ExportHeaders {
  constructor(
    private readonly store: AuditLogStore,
    private readonly entries: Pick<ExportedEntries, 'stretch' | 'countHeld' | 'minIndex'>,
    private readonly gatewayId: string,
  ) {}

  /** @returns undefined where there is no held record, and no checkpoint covers any of the rows. */
  async of(organizationId: string, filter: AuditFilter): Promise<ExportHeader | undefined> {
    const held = await this.entries.countHeld(organizationId, filter);
    const found = await this.entries.stretch(organizationId, filter);
    // Held records alone: no rows, where the log begins.
    const index = found === undefined && held > 0 ? await this.entries.minIndex(organizationId) : undefined;
    const rows = index === undefined ? found : { from: index, to: index };
    return this.store.withLog(organizationId, async (log) => {
      const checkpoint = await log.newestCheckpoint();
      if (rows === undefined || checkpoint === undefined) return undefined;
      const [from, to] = [Math.min(rows.from, checkpoint.size), Math.min(rows.to, checkpoint.size)];
      if (from === to && held === 0) return undefined;
      const at = subtreeRootsFrom((level, start, count) => log.hashes(level, start, count));
      const rootsOf = (start: number, end: number): Promise<string[]> =>
        Promise.all(
          subtreesOf(start, end).map(async ({ level, index }) =>
            Buffer.from(await rangeRoot(index * 2 ** level, (index + 1) * 2 ** level, at)).toString('base64'),
          ),
        );
      return {
        format: held === 0 ? EXPORT_FORMAT : HELD_EXPORT_FORMAT,
        origin: logOrigin(this.gatewayId, organizationId),
        ...{ from, to },
        before: await rootsOf(0, from),
        after: await rootsOf(to, checkpoint.size),
        checkpoint: checkpoint.note,
        ...(held === 0 ? {} : { held }),
      };
    });
  }
}
