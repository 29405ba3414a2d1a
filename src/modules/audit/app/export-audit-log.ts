import { Failure } from '../../../kernel/failure/failure.js';
import type { ExportHeader, ExportRow } from '../domain/audit-export.js';
import { EXPORT_FORMAT } from '../domain/audit-export.js';
import { rangeRoot } from '../domain/log/merkle-proof.js';
import { subtreesOf } from '../domain/log/subtrees.js';
import { subtreeRootsFrom } from '../domain/log/tiles.js';
import type { AuditLogReader, LogEntry } from './audit-log-reader.js';
import type { AuditLogStore } from './audit-log-store.js';
import { logOrigin } from './log-names.js';

const ROWS_AT_ONCE = 2000;

/** Writes a stretch of an organization's trail so that an outsider can check it without the service (see ExportChecker). */
export class ExportAuditLog {
  constructor(
    private readonly store: AuditLogStore,
    private readonly reader: AuditLogReader,
    private readonly gatewayId: string,
  ) {}

  /**
   * Lines of the export: the header, then one for each row. Rows recorded in the period are there, with every row between
   * the first and the last of them, because the log's order is not the clock's.
   * @param period RFC 3339 instants, `to` excluded
   * @throws Failure `resource.not_found` when the period holds no record that a checkpoint covers; Error when a record is
   *   gone, which `audit verify` explains.
   */
  async *lines(
    organizationId: string,
    period: { readonly from: string; readonly to: string },
  ): AsyncGenerator<string, void, undefined> {
    const header = await this.headerOf(organizationId, period);
    yield `${JSON.stringify(header)}\n`;
    for (let seq = header.from; seq < header.to;) {
      const entries = await this.reader.entries(organizationId, seq, Math.min(ROWS_AT_ONCE, header.to - seq));
      if (entries.length === 0) throw new Error('the log lacks rows that its size promises');
      yield entries.map((entry) => `${JSON.stringify(rowOf(entry))}\n`).join('');
      seq += entries.length;
    }
  }

  private async headerOf(
    organizationId: string,
    period: { readonly from: string; readonly to: string },
  ): Promise<ExportHeader> {
    const rows = await this.reader.rowsOf(organizationId, period.from, period.to);
    return this.store.withLog(organizationId, async (log) => {
      const checkpoint = await log.newestCheckpoint();
      const to = Math.min(rows?.to ?? 0, checkpoint?.size ?? 0);
      if (rows === undefined || checkpoint === undefined || rows.from >= to)
        throw new Failure('resource.not_found', { reason: 'not_found' });
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

function rowOf({ seq, row }: LogEntry): ExportRow {
  if (row === null) throw new Error(`the record of row ${seq} is gone`);
  const { canon, actor, client, nonce } = row;
  return {
    seq,
    canon: canon.toString('utf8'),
    ...(actor === null ? {} : { actor }),
    ...(client === null ? {} : { client }),
    ...(nonce === null ? {} : { nonce: nonce.toString('hex') }),
  };
}
