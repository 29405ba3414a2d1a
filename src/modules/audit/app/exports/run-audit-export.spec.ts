import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ContentStore, StoredContent } from '../../../../kernel/ports/content-store.js';
import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { ExportHeader } from '../../domain/audit-export.js';
import type { AuditExport, ExportPart } from './audit-export.js';
import type { AuditExportStore } from './audit-export-store.js';
import type { ExportAudit } from './export-audit.js';
import type { ExportedEntries } from './exported-entries.js';
import { RunAuditExport } from './run-audit-export.js';

const ROWS = 90_500;
const HEADER: ExportHeader = {
  ...{
    format: 'forecourt-audit-export/1',
    origin: 'gateway.test/audit/org.a',
    from: 0,
    to: ROWS,
    before: [],
    after: [],
  },
  checkpoint: '',
};
const ASKED = {
  ...{ exportId: 'export.a', format: 'ndjson', filter: {}, state: 'running', requestedBy: 'key.a', requestedAt: 0 },
  ...{ attempt: 1, records: 0, bytes: 0 },
} as const satisfies AuditExport;

/** Counts rows that were read and whose text nobody has taken yet, and how many rows each piece has. */
class Watched {
  waiting = 0;
  most = 0;
  readonly pieces: number[] = [];
  private readonly parts: ExportPart[] = [];

  readonly entries = {
    read: (
      _organizationId: string,
      _filter: object,
      { from, to, limit }: { from: number; to: number; limit: number },
    ) => {
      const rows = Math.min(limit, to - from);
      this.waiting += rows;
      this.most = Math.max(this.most, this.waiting);
      const leafHash = Buffer.alloc(32, 1);
      return Promise.resolve(
        Array.from({ length: rows }, (_, i) => ({ seq: from + i, leafHash, record: 'left out' as const })),
      );
    },
  } as Partial<ExportedEntries> as ExportedEntries;

  readonly files = {
    put: async (_organizationId: string, chunks: AsyncIterable<Uint8Array>): Promise<StoredContent> => {
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.length;
        this.waiting = 0; // its text is on the disk
      }
      return { sha256: createHash('sha256').digest('hex'), bytes, storageKey: 'key' };
    },
    open: () => ({ chunks: async function* () {} }),
  } as Partial<ContentStore> as ContentStore;

  readonly store = {
    claim: () =>
      Promise.resolve({ lease: { organizationId: 'org.a', exportId: 'export.a', attempt: 1 }, found: ASKED }),
    begin: () => Promise.resolve(),
    addPart: (_lease: object, part: ExportPart, { from, to }: { from: number; to: number }) => {
      this.parts.push(part);
      this.pieces.push(to - from);
      return Promise.resolve();
    },
    parts: () => Promise.resolve(this.parts),
    find: () => Promise.resolve({ ...ASKED, header: HEADER, nextSeq: ROWS }),
    finish: () => Promise.resolve(true),
  } as Partial<AuditExportStore> as AuditExportStore;
}

const unitOfWork = {
  withTenant: <T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>) => work({ organizationId }),
};

describe('an export of any length', () => {
  it('has a thousand rows in memory at most, and pieces of twenty thousand', async () => {
    const watched = new Watched();
    const log = { headers: { of: () => Promise.resolve(HEADER) }, held: {} } as unknown as ConstructorParameters<
      typeof RunAuditExport
    >[3];
    const audit = { finished: () => Promise.resolve() } as Partial<ExportAudit> as ExportAudit;
    const exporting = new RunAuditExport(unitOfWork, watched.store, watched.entries, log, watched.files, audit);
    expect(await exporting.run('org.a', 'export.a', new AbortController().signal)).toBe('ready');
    expect(watched.most).toBe(1000);
    expect(watched.pieces).toEqual([20_000, 20_000, 20_000, 20_000, 10_500]);
  });
});
