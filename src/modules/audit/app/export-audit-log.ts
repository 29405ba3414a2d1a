import { Failure } from '../../../kernel/failure/failure.js';
import type { ExportHeader, ExportRow } from '../domain/audit-export.js';
import { heldRow, ndjsonLine } from '../domain/exports/ndjson-line.js';
import type { AuditLogReader, LogEntry } from './audit-log-reader.js';
import type { ExportHeaders } from './exports/export-headers.js';
import type { HeldRows } from './exports/held-rows.js';

const ROWS_AT_ONCE = 2000;

/** Writes a stretch of an organization's trail so that an outsider can check it without the service (see ExportChecker). */
export class ExportAuditLog {
  constructor(
    private readonly headers: ExportHeaders,
    private readonly held: HeldRows,
    private readonly reader: Pick<AuditLogReader, 'entries'>,
  ) {}

  /**
   * Lines of the export: the header, held records of a pruned part, then one line for each row. Rows recorded in the period are
   * there, with every row between the first and the last of them, because the log's order is not the clock's.
   * @param period RFC 3339 instants, `to` excluded
   * @throws Failure `resource.not_found` when the period holds no record that a checkpoint covers; Error when a record is
   *   gone, which `audit verify` explains.
   */
  async *lines(
    organizationId: string,
    period: { readonly from: string; readonly to: string },
  ): AsyncGenerator<string, void, undefined> {
    const header = await this.headers.of(organizationId, period);
    if (header === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    yield `${JSON.stringify(header)}\n`;
    yield* this.heldLines(organizationId, period, header);
    for (let seq = header.from; seq < header.to;) {
      const entries = await this.reader.entries(organizationId, seq, Math.min(ROWS_AT_ONCE, header.to - seq));
      if (entries.length === 0) throw new Error('the log lacks rows that its size promises');
      yield entries.map((entry) => `${JSON.stringify(rowOf(entry))}\n`).join('');
      seq += entries.length;
    }
  }

  private async *heldLines(
    organizationId: string,
    period: { readonly from: string; readonly to: string },
    header: ExportHeader,
  ): AsyncGenerator<string, void, undefined> {
    let held = 0;
    if (header.held === undefined) return;
    for await (const rows of this.held.of(organizationId, period, header)) {
      held += rows.length;
      yield rows.map((row) => ndjsonLine(heldRow(row, row.inclusionPath))).join('');
    }
    if (held !== header.held) throw new Error('held records came or went meanwhile; export again');
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
