import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { newAuditExportId } from '../../src/kernel/ids.js';
import type { ContentStore } from '../../src/kernel/ports/content-store.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../src/kernel/ports/unit-of-work.js';
import { ExportAudit } from '../../src/modules/audit/app/exports/export-audit.js';
import { RunAuditExport } from '../../src/modules/audit/app/exports/run-audit-export.js';
import { PostgresExportedEntries } from '../../src/modules/audit/infra/postgres-exported-entries.js';
import { PrismaAuditExports } from '../../src/modules/audit/infra/prisma-audit-exports.js';
import { POOL } from '../../src/platform/database/database.module.js';
import { LocalContentStore } from '../../src/platform/files/local-content-store.js';
import { exportParts } from '../support/audit-exporting.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { callTool } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';

const PART_ROWS = 4;
const LEASE_SECONDS = 1;

let service: TestService;
let auditor: string;
beforeAll(async () => {
  service = await startTestService();
  auditor = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'auditor')}`;
  for (let i = 0; i < 30; i++)
    await callTool(`${service.origin}/mcp`, 'dealeragent.dealer.get', { organization_id: DEMO_ORGANIZATION });
  const size = async (): Promise<number> =>
    Number(
      /\n(\d+)\n/.exec(
        (await callAdmin(service, auditor, 'GET', 'audit/checkpoint')).text.replaceAll('\\n', '\n'),
      )?.[1],
    );
  await vi.waitUntil(async () => (await size()) > 30, { timeout: 20_000, interval: 200 });
});
afterAll(() => service.stop());

/** A store whose process dies at the piece of a number: before it is kept, or after and before the export moves on. */
function dyingAt(files: ContentStore, piece: number, when: 'before' | 'after'): ContentStore {
  let puts = 0;
  return {
    open: (organizationId, key) => files.open(organizationId, key),
    remove: (organizationId, key, unusedMs) => files.remove(organizationId, key, unusedMs),
    put: async (organizationId, chunks) => {
      const dies = puts++ === piece;
      if (dies && when === 'before') throw new Error('killed');
      const kept = await files.put(organizationId, chunks);
      if (dies) throw new Error('killed');
      return kept;
    },
  };
}

function workers(): { readonly store: PrismaAuditExports; run(files: ContentStore, id: string): Promise<string> } {
  const pool = service.parts.get<pg.Pool>(POOL);
  const unitOfWork = service.parts.get<UnitOfWork>(UNIT_OF_WORK);
  const store = new PrismaAuditExports(pool, LEASE_SECONDS);
  const log = exportParts(pool, service.settings.GATEWAY_ID);
  const audit = service.parts.get(ExportAudit);
  return {
    store,
    run: (files, id) =>
      new RunAuditExport(unitOfWork, store, new PostgresExportedEntries(pool), log, files, audit, PART_ROWS).run(
        DEMO_ORGANIZATION,
        id,
        new AbortController().signal,
      ),
  };
}

it.each([
  [0, 'before'],
  [0, 'after'],
  [3, 'before'],
  [3, 'after'],
] as const)('a worker that dies at piece %i, %s it is kept, loses and doubles no row', async (piece, when) => {
  const worker = workers();
  const unitOfWork = service.parts.get<UnitOfWork>(UNIT_OF_WORK);
  const files = new LocalContentStore(join(service.dataDir, 'exports'));
  const exportId = newAuditExportId();
  await unitOfWork.withTenant(DEMO_ORGANIZATION, (tx) =>
    worker.store.insert(tx, { exportId, format: 'ndjson', filter: {}, requestedBy: 'test' }),
  );
  await expect(worker.run(dyingAt(files, piece, when), exportId)).rejects.toThrow('killed');
  expect(await worker.run(files, exportId), 'while the dead one holds the lease').toBe('not_claimed');
  await new Promise((done) => setTimeout(done, LEASE_SECONDS * 1000 + 200));
  expect(await worker.run(files, exportId)).toBe('ready');

  const { text } = await callAdmin(service, auditor, 'GET', `audit/exports/${exportId}/file`);
  const [head = '', ...rows] = text.trimEnd().split('\n');
  const { from, to } = JSON.parse(head) as { from: number; to: number };
  expect(to - from).toBeGreaterThan(PART_ROWS * 4);
  expect(rows.map((row) => (JSON.parse(row) as { seq: number }).seq)).toEqual(
    Array.from({ length: to - from }, (_, i) => from + i),
  );
});
