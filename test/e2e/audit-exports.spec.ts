import { createHash, createPublicKey } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { ExportChecker, type ExportGap, type ExportRow } from '../../src/modules/audit/domain/audit-export.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { openCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { recordOf } from '../support/audit-log-world.js';
import { AuditTrail } from '../support/audit-trail.js';
import { callTool, type WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';

const SEARCH = 'dealeragent.inventory.search';

let service: TestService;
let trail: AuditTrail;
let auditor: string;
let admin: string;

beforeAll(async () => {
  service = await startTestService();
  trail = await AuditTrail.open(service.database);
  auditor = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'auditor')}`;
  admin = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'admin')}`;
  for (let i = 0; i < 9; i++)
    await callTool(`${service.origin}/mcp`, SEARCH, { organization_id: DEMO_ORGANIZATION, page: { limit: 2 } });
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

interface Manifest {
  readonly records: number;
  readonly file: { readonly sha256: string; readonly bytes: number; readonly name: string };
  readonly log: { readonly from: number; readonly to: number; readonly checkpoint: string };
}

/** Asks for an export and waits for its end. */
async function exported(body: object): Promise<{ id: string; answer: WireAnswer }> {
  const asked = await callAdmin(service, auditor, 'POST', 'audit/exports', body);
  expect(asked.status).toBe(202);
  const id = asked.json.data.export_id as string;
  for (;;) {
    const answer = await callAdmin(service, auditor, 'GET', `audit/exports/${id}`);
    if (['ready', 'failed'].includes(answer.json.data.state as string)) return { id, answer };
    await new Promise((done) => setTimeout(done, 100));
  }
}

const fileOf = async (id: string): Promise<string> =>
  (await callAdmin(service, auditor, 'GET', `audit/exports/${id}/file`)).text;

/** Waits until a checkpoint covers all the calls above. */
async function covered(operation = SEARCH): Promise<void> {
  for (const { event_id } of await trail.ofOperation(operation))
    await expect
      .poll(async () => (await callAdmin(service, auditor, 'GET', `audit/records/${event_id}/proof`)).status, {
        timeout: 20_000,
        interval: 200,
      })
      .toBe(200);
}

async function checkNdjson(text: string): Promise<{ rows: number; gaps: number; problem: string | undefined }> {
  const pem = await readFile(join(service.dataDir, 'secrets', 'audit-signing-key.pem'), 'utf8');
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const checker = ExportChecker.begin(JSON.parse(first), (note, origin) =>
    openCheckpoint(note, origin, [createPublicKey(pem)]),
  );
  if (typeof checker === 'string') return { rows: 0, gaps: 0, problem: checker };
  let [rows, gaps] = [0, 0];
  for (const line of lines) {
    const value = JSON.parse(line) as ExportRow | ExportGap;
    const problem = 'hashes' in value ? checker.skip(value) : checker.take(value);
    if (problem !== undefined) return { rows, gaps, problem };
    if ('hashes' in value) gaps++;
    else rows++;
  }
  return { rows, gaps, problem: checker.end() };
}

describe('an export job', () => {
  it('writes whole trails that check, and says in the manifest what is in them', async () => {
    await covered();
    const { id, answer } = await exported({ format: 'ndjson' });
    expect(answer.json.data).toMatchObject({ state: 'ready', failure: null });
    const manifest = answer.json.data.manifest as Manifest;
    const text = await fileOf(id);
    expect(createHash('sha256').update(text).digest('hex')).toBe(manifest.file.sha256);
    expect(Buffer.byteLength(text)).toBe(manifest.file.bytes);
    const checked = await checkNdjson(text);
    expect(checked).toEqual({ rows: manifest.records, gaps: 0, problem: undefined });
    expect(manifest.log.to - manifest.log.from).toBe(manifest.records);
    const changed = text.replace('\\"succeeded\\"', '\\"failed\\"');
    expect((await checkNdjson(changed)).problem).toBeDefined();
  });

  it('keeps a filtered one verifiable: what is left out is closed over by hashes', async () => {
    await covered();
    const { id, answer } = await exported({ format: 'ndjson', filter: { operation: SEARCH } });
    const text = await fileOf(id);
    const checked = await checkNdjson(text);
    expect(checked).toMatchObject({ rows: 9, problem: undefined });
    expect(checked.gaps).toBeGreaterThanOrEqual(1);
    expect(answer.json.data.manifest.records).toBe(9);
    for (const line of text.trimEnd().split('\n').slice(1)) if (line.includes('canon')) expect(line).toContain(SEARCH);
    const lines = text.trimEnd().split('\n');
    const without = lines
      .toSpliced(
        lines.findIndex((line) => line.includes('canon')),
        1,
      )
      .join('\n');
    expect((await checkNdjson(without)).problem).toBe('row_out_of_place');
  });

  it('writes CSV and OCSF of the same records', async () => {
    await covered();
    const csv = await exported({ format: 'csv', filter: { operation: SEARCH } });
    const rows = (await fileOf(csv.id)).split('\r\n');
    expect(rows).toHaveLength(1 + 9 + 1);
    expect(rows[0]).toMatch(/^seq,event_id,recorded_at/);
    const ocsf = await exported({ format: 'ocsf', filter: { operation: SEARCH } });
    const events = (await fileOf(ocsf.id))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { class_uid: number });
    expect(events.map((event) => event.class_uid)).toEqual(Array<number>(9).fill(6003));
    expect(ocsf.answer.json.data.manifest).toMatchObject({ ocsf_version: '1.4.0', records: 9 });
  });

  it('writes no cell of a CSV that a spreadsheet would run', async () => {
    const operation = 'dealeragent.test.formula';
    const line = auditLine(
      recordOf(DEMO_ORGANIZATION, { operation, client: `=HYPERLINK("https://x")` }),
      new NoncePool().next(),
    );
    const database = new pg.Client({
      connectionString: service.database.adminUrl,
      options: '-c search_path=forecourt',
    });
    await database.connect();
    await database.query('SELECT append_audit($1, $2)', [DEMO_ORGANIZATION, line]);
    await database.end();
    await covered(operation);
    const [, record = ''] = (await fileOf((await exported({ format: 'csv', filter: { operation } })).id)).split('\r\n');
    expect(record).toContain(`,"'=HYPERLINK(""https://x"")",`);
  });

  it('says that nothing was there, instead of an empty file', async () => {
    const { id, answer } = await exported({ format: 'csv', filter: { to: '2020-01-01T00:00:00Z' } });
    expect(answer.json.data).toMatchObject({ state: 'failed', failure: 'nothing_covered', manifest: null });
    expect((await callAdmin(service, auditor, 'GET', `audit/exports/${id}/file`)).status).toBe(429);
  });

  it('is in the trail itself: asked for, finished, looked at, downloaded', async () => {
    const { id } = await exported({ format: 'csv' });
    const before = (await trail.ofOperation('audit.exports.download')).length;
    await fileOf(id);
    expect((await trail.ofOperation('audit.exports.download')).length).toBe(before + 1);
    for (const operation of ['audit.exports.create', 'audit.exports.finish'])
      expect((await trail.ofOperation(operation)).filter((row) => row.resource_ids.includes(id))).toHaveLength(1);
  });

  it('is for auditors, of their own organization', async () => {
    expect((await callAdmin(service, admin, 'POST', 'audit/exports', { format: 'csv' })).status).toBe(403);
    expect((await callAdmin(service, admin, 'GET', 'audit/exports')).status).toBe(403);
    expect((await callAdmin(service, auditor, 'GET', 'audit/exports/export.none')).status).toBe(400);
    expect((await callAdmin(service, auditor, 'POST', 'audit/exports', { format: 'xml' })).status).toBe(400);
    const odd = { format: 'csv', filter: { limit: 3 } };
    expect((await callAdmin(service, auditor, 'POST', 'audit/exports', odd)).status).toBe(400);
  });

  it('keeps its files where nobody else may read them', async () => {
    const root = join(service.dataDir, 'exports', DEMO_ORGANIZATION);
    const names = (await readdir(root, { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect((await stat(join(root, name))).mode & 0o777).toBe(0o600);
  });
});
