import type { ExportHeader } from '../../domain/audit-export.js';
import { EXPORT_FORMAT } from '../../domain/audit-export.js';
import { rangeRoot } from '../../domain/log/merkle-proof.js';
import { subtreesOf } from '../../domain/log/subtrees.js';
import { subtreeRootsFrom } from '../../domain/log/tiles.js';
import type { AuditLogStore } from '../audit-log-store.js';
import { logOrigin } from '../log-names.js';

/** Makes the first line of an export: which rows, and the hashes that close the tree on both sides of them. */
export class ExportHeaders {
  constructor(
    private readonly store: AuditLogStore,
    private readonly gatewayId: string,
  ) {}

  /** @returns undefined where no checkpoint covers any of the rows. */
  of(
    organizationId: string,
    rows: { readonly from: number; readonly to: number } | undefined,
  ): Promise<ExportHeader | undefined> {
    return this.store.withLog(organizationId, async (log) => {
      const checkpoint = await log.newestCheckpoint();
      const to = Math.min(rows?.to ?? 0, checkpoint?.size ?? 0);
      if (rows === undefined || checkpoint === undefined || rows.from >= to) return undefined;
      const at = subtreeRootsFrom((level, start, count) => log.hashes(level, start, count));
      const rootsOf = (start: number, end: number): Promise<string[]> =>
        Promise.all(
          subtreesOf(start, end).map(async ({ level, index }) =>
            Buffer.from(await rangeRoot(index * 2 ** level, (index + 1) * 2 ** level, at)).toString('base64'),
          ),
        );
      return {
        format: EXPORT_FORMAT,
        origin: logOrigin(this.gatewayId, organizationId),
        from: rows.from,
        to,
        before: await rootsOf(0, rows.from),
        after: await rootsOf(to, checkpoint.size),
        checkpoint: checkpoint.note,
      };
    });
  }
}
