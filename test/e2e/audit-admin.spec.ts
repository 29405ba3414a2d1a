import { createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { includes } from '../../src/modules/audit/domain/log/merkle-proof.js';
import { leafOf } from '../../src/modules/audit/domain/stored-record.js';
import { VerifyAuditLog } from '../../src/modules/audit/index.js';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { runToEnd } from '../support/child-service.js';
import { compileService } from '../support/compiled-service.js';
import { callTool } from '../support/mcp-http.js';
import type { WireAnswer } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const SEARCH = 'dealeragent.inventory.search';

let service: TestService;
let auditor: string;
let admin: string;

beforeAll(async () => {
  service = await startTestService();
  auditor = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'auditor')}`;
  admin = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'admin')}`;
});
afterAll(() => service.stop());

const audit = (authorization: string, path: string): Promise<WireAnswer> =>
  callAdmin(service, authorization, 'GET', `audit/${path}`);
interface Found {
  readonly event_id: string;
  readonly rooftop_ids: readonly string[];
}
const recordsOf = (answer: WireAnswer): readonly Found[] => answer.json.data.records as Found[];
const traceOf = (answer: WireAnswer): string => answer.json.result.structuredContent.trace_id as string;
const url = (): string => `${service.origin}/mcp`;

/** Asks until a checkpoint covers the record. */
async function proofOf(eventId: string): Promise<WireAnswer> {
  for (let i = 0; ; i++) {
    const answer = await audit(auditor, `records/${eventId}/proof`);
    if (answer.status !== 429 || i > 30) return answer;
    await new Promise((done) => setTimeout(done, 300));
  }
}

describe('the trail of an organization', () => {
  it('is searched by what happened, newest first, page by page without loss or repetition', async () => {
    for (let i = 0; i < 7; i++)
      await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, page: { limit: 2 } });
    const whole = await audit(auditor, `records?operation=${SEARCH}`);
    expect(whole.json.data.records).toHaveLength(7);
    const seen: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const page: WireAnswer = await audit(
        auditor,
        `records?operation=${SEARCH}&limit=3${after === '' ? '' : `&cursor=${after}`}`,
      );
      expect(page.status).toBe(200);
      seen.push(...recordsOf(page).map((r) => r.event_id));
      after = page.json.data.next_cursor as string | null;
    }
    expect(seen).toEqual(recordsOf(whole).map((r) => r.event_id));
    expect(new Set(seen).size).toBe(7);
  });

  it('is found by the trace id of an answer', async () => {
    const answer = await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, filters: { make: 7 } });
    const traceId = traceOf(answer);
    const found = await audit(admin, `records?trace_id=${traceId}`);
    expect(found.json.data.records).toMatchObject([
      { trace_id: traceId, operation: SEARCH, outcome: 'failed', failure_code: 'input.invalid' },
    ]);
  });

  it('shows bodies to auditors and metadata to others', async () => {
    const [whole] = recordsOf(await audit(auditor, 'records?limit=1'));
    const [metadata] = recordsOf(await audit(admin, 'records?limit=1'));
    expect(Object.keys(whole!)).toEqual(expect.arrayContaining(['actor', 'resource_ids', 'reason']));
    for (const hidden of ['actor', 'client', 'resource_ids', 'reason', 'purpose'])
      expect(metadata).not.toHaveProperty(hidden);
    expect((await audit(admin, 'records?actor=somebody')).status).toBe(403);
    expect((await audit(admin, `records/${whole!.event_id}/proof`)).status).toBe(403);
  });

  it('records each look', async () => {
    const looks = async (): Promise<number> =>
      recordsOf(await audit(auditor, 'records?operation=audit.search&limit=100')).length;
    const before = await looks();
    expect(await looks()).toBe(before + 1);
  });

  it('counts for a rooftop what agents asked, without a word of theirs', async () => {
    await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, query: 'honda' });
    const [newest] = recordsOf(await audit(admin, `records?operation=${SEARCH}&limit=1`));
    const rooftop = newest!.rooftop_ids[0]!;
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const to = new Date(Date.now() + 86_400_000).toISOString();
    const { json, text } = await audit(admin, `receipts?rooftop_id=${rooftop}&from=${from}&to=${to}`);
    const lines = json.data.lines as { operation: string; outcome: string; calls: number }[];
    expect(lines.find((l) => l.operation === SEARCH && l.outcome === 'succeeded')?.calls).toBeGreaterThanOrEqual(1);
    expect(text).not.toContain('honda');
  });

  it.each([
    'records?from=yesterday',
    'records?from=2026-02-30T00:00:00Z',
    'records?after=nonsense',
    'records?cursor=nonsense',
    'records?limit=101',
    'records?rooftop_id=%27%3B%20DROP%20TABLE',
    'receipts?rooftop_id=roof.a',
  ])('refuses %s with a clear error', async (path) => {
    const answer = await audit(auditor, path);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input' });
  });
});

describe('a proof', () => {
  it('is checked by an outsider with the public key alone, and is small', async () => {
    const refused = await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, filters: { make: 7 } });
    const [found] = recordsOf(await audit(auditor, `records?trace_id=${traceOf(refused)}`));
    const answer = await proofOf(found!.event_id);
    const { canon, ...proof } = answer.json.data as {
      canon: string;
      seq: number;
      inclusion_path: string[];
      checkpoint: string;
    };
    expect(JSON.stringify(proof).length).toBeLessThan(2000);
    const pem = await readFile(join(service.dataDir, 'secrets', 'audit-signing-key.pem'), 'utf8');
    const origin = `forecourt/audit/${DEMO_ORGANIZATION}`;
    const { size, root } = openCheckpoint(proof.checkpoint, origin, [createPublicKey(pem)])!;
    const path = proof.inclusion_path.map((hash) => Buffer.from(hash, 'base64'));
    expect(includes(leafOf(canon), proof.seq, size, path, root)).toBe(true);
    expect(includes(leafOf(canon.replace('failed', 'succeeded')), proof.seq, size, path, root)).toBe(false);
  });

  it('does not exist for a record that does not', async () => {
    expect((await audit(auditor, 'records/req_NONE/proof')).json.error).toMatchObject({ code: 'invalid_input' });
  });

  it('belongs to a trail that verifies as a whole while the service runs', async () => {
    const checkpoint = (await audit(auditor, 'checkpoint')).json.data.checkpoint as string;
    const verification = await service.parts.get(VerifyAuditLog).run(DEMO_ORGANIZATION, { kept: [checkpoint] });
    expect(verification).toMatchObject({ result: 'intact', findings: [] });
    expect(verification.checkpoints).toBeGreaterThanOrEqual(2);
  });
});

/** As a superuser, past the guards. @returns its number in the log */
async function editOneRow(): Promise<number> {
  const database = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await database.connect();
  await database.query('BEGIN; ALTER TABLE audit_events DISABLE TRIGGER USER');
  const { rows } = await database.query<{ seq: number }>(
    `UPDATE audit_events e SET outcome = CASE e.outcome WHEN 'failed' THEN 'succeeded' ELSE 'failed' END FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id
     AND (k.organization_id, k.seq) = (SELECT l.organization_id, l.size / 2 FROM audit_logs l WHERE l.organization_id = $1) RETURNING k.seq::integer AS seq`,
    [DEMO_ORGANIZATION],
  );
  await database.query(`ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_are_final; COMMIT`);
  await database.end();
  expect(rows).toHaveLength(1);
  return rows[0]!.seq;
}

/** An agent that searches as often as it is answered. @returns how many answers it got */
async function callUntil(signal: AbortSignal): Promise<number> {
  for (let answered = 0; ; answered++) {
    if (signal.aborted) return answered;
    expect((await callTool(url(), SEARCH, { organization_id: DEMO_ORGANIZATION, page: { limit: 2 } })).status).toBe(
      200,
    );
  }
}

describe('an export', () => {
  it(
    'is checked in another folder with the public key alone, and shows any change; an edited row is named under load',
    { timeout: 240_000 },
    async () => {
      const dir = await mkdtemp(join(tmpdir(), 'forecourt-export-'));
      const compiled = await compileService();
      const forecourt = (args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof runToEnd> =>
        runToEnd([compiled.command, ...args], env);
      const env = {
        FORECOURT_PROFILE: 'local',
        DATABASE_URL: service.database.appUrl,
        MIGRATION_DATABASE_URL: service.database.adminUrl,
        DATA_DIR: service.dataDir,
        FORECOURT_SECRET: service.settings.FORECOURT_SECRET ?? '',
      };
      try {
        const [file, key, moved] = [join(dir, 'month.ndjson'), join(dir, 'key.pem'), join(dir, 'elsewhere.ndjson')];
        const period = ['--from', '2020-01-01T00:00:00Z', '--to', '2100-01-01T00:00:00Z'];
        const exporting = ['audit', 'export', '--organization', DEMO_ORGANIZATION, ...period, '--out', file];
        expect(await forecourt(exporting, env)).toMatchObject({ code: 0, output: expect.stringContaining('sha256') });
        expect((await forecourt(exporting, env)).code).not.toBe(0); // an existing file is left alone
        await writeFile(key, (await forecourt(['audit', 'key'], env)).output);
        const text = await readFile(file, 'utf8');
        await writeFile(moved, text);
        const rows = text.trimEnd().split('\n').length - 1;
        const check = (path: string): ReturnType<typeof runToEnd> => forecourt(['audit', 'check', path, '--key', key]);
        expect(await check(moved)).toMatchObject({ code: 0, output: `intact: ${rows} rows\n` });
        await writeFile(moved, text.replace('\\"succeeded\\"', '\\"failed\\"'));
        expect(await check(moved)).toMatchObject({
          code: 1,
          output: expect.stringContaining('tampered: root_differs'),
        });
        await writeFile(moved, text.split('\n').toSpliced(5, 1).join('\n'));
        expect(await check(moved)).toMatchObject({
          code: 1,
          output: expect.stringContaining('tampered: row_out_of_place'),
        });
        await writeFile(moved, text.replace(/"actor":"[^"]+"/, '"actor":"somebody"'));
        expect(await check(moved)).toMatchObject({
          code: 1,
          output: expect.stringContaining('tampered: value_changed'),
        });
        const verified = await forecourt(['audit', 'verify', '--organization', DEMO_ORGANIZATION], env);
        expect(verified).toMatchObject({
          code: 0,
          output: expect.stringMatching(/^intact: \d+ rows, \d+ checkpoints/),
        });

        const row = await editOneRow();
        const load = new AbortController();
        const calls = Promise.all(Array.from({ length: 4 }, () => callUntil(load.signal)));
        const named = await forecourt(['audit', 'verify', '--organization', DEMO_ORGANIZATION], env);
        load.abort();
        expect(await calls).not.toContain(0);
        expect(named).toMatchObject({
          code: 1,
          output: expect.stringMatching(new RegExp(`^tampered: .*\\n  column_changed at row ${row}\\n$`)),
        });
      } finally {
        await compiled.remove();
        await rm(dir, { recursive: true, force: true });
      }
    },
  );
});
