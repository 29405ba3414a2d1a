import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { SweepDaily } from '../../src/modules/deletion/app/sweep-daily.js';
import { buildVerifier } from '../../tools/build-verifier.mjs';
import { callAdmin } from '../support/admin-client.js';
import { THIRTY_DAYS } from '../support/retention-world.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, personBearer } from '../support/staff.js';

type Data = Readonly<Record<string, unknown>>;
const run = promisify(execFile);
let service: TestService;
let admin: pg.Client;
let bearers: Readonly<Record<'admin' | 'compliance' | 'auditor', string>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forecourt-deletion-'));
  service = await startTestService({ demo: false });
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  const persons = await addPersons(service, service.organizationId);
  bearers = {
    admin: await personBearer(service, persons.admin),
    compliance: await personBearer(service, persons.compliance),
    auditor: await personBearer(service, persons.auditor),
  };
  await admin.query(
    `CREATE TABLE leads (organization_id text NOT NULL, id text NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (organization_id, id));
     ALTER TABLE leads OWNER TO forecourt_owner;
     SELECT isolate_tenant_table('leads'), govern_table('leads', 'lead', 'r.id', '''{}''::text[]', '''{}''::text[]', '{"created":"r.at"}')`,
  );
  await admin.query(
    `INSERT INTO leads SELECT $1, 'lead.' || i, now() - i * interval '10 days' FROM generate_series(1, 9) AS i`,
    [service.organizationId],
  );
  await admin.query(
    `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
     VALUES ($1, 1, 'records', 'Records', $2, repeat('a', 64), 'draft', 'a', 'test', 'apr', '{a,b}', now())`,
    [service.organizationId, JSON.stringify({ rules: [THIRTY_DAYS], rooftops: [] })],
  );
});
afterAll(async () => {
  await admin.end();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function call(
  as: keyof typeof bearers,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; text: string; data: Data }> {
  const { status, text, json } = await callAdmin(service, bearers[as], method, path, body);
  return { status, text, data: json.data as Data };
}

const until = (runId: string, state: string): Promise<Data> =>
  vi.waitFor(
    async () => {
      const { data } = await call('auditor', 'GET', `retention/runs/${runId}`);
      expect(data).toMatchObject({ state });
      return data;
    },
    { timeout: 20_000, interval: 200 },
  );

it('goes from a dry run over two approvals to a record that anybody can check, over the API', async () => {
  expect((await call('auditor', 'POST', 'retention/runs', { reason: 'Routine' })).status).toBe(403);
  expect(
    (await call('compliance', 'POST', 'retention/runs', { reason: 'Routine', categories: ['nothing'] })).status,
  ).toBe(400);
  const drafted = await call('compliance', 'POST', 'retention/runs', { reason: 'Routine', categories: ['lead'] });
  expect(drafted.status, drafted.text).toBe(202);
  const runId = drafted.data['run_id'] as string;
  const previewed = await until(runId, 'previewed');
  expect(previewed).toMatchObject({ preview: { over: 7, going: 7, tables: [{ table: 'leads', records: 9 }] } });

  const asked = await call('compliance', 'POST', `retention/runs/${runId}/start`);
  expect(asked.status, asked.text).toBe(202);
  const shown = await call('auditor', 'GET', 'approvals?state=open');
  const [approval] = shown.data['approvals'] as { approval_id: string; content_hash: string }[];
  expect(approval?.content_hash).toBe(previewed['preview_hash']);
  const body = { content_hash: approval!.content_hash };
  const approve = (as: keyof typeof bearers) => call(as, 'POST', `approvals/${approval!.approval_id}/approve`, body);
  expect((await approve('compliance')).status).toBe(403);
  for (const person of ['admin', 'auditor'] as const) expect((await approve(person)).status).toBe(200);
  await admin.query(
    `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, record_ids, covered, root, counted_at)
     VALUES ($1, 'hold.late', 'Smith v. Group', 'claim', 'person', '{lead.5}', 1, sha256(''), now())`,
    [service.organizationId],
  );
  const started = await call('compliance', 'POST', `retention/runs/${runId}/start`);
  expect(started.data, started.text).toMatchObject({ state: 'approved' });
  expect(await until(runId, 'done')).toMatchObject({ progress: { taken: 6, held: 1 } });
  const { rows } = await admin.query<{ id: string }>('SELECT id FROM leads ORDER BY id');
  expect(rows.map(({ id }) => id)).toEqual(['lead.1', 'lead.2', 'lead.5']);

  const listed = await call('auditor', 'GET', 'retention/deletion-records');
  const [record] = listed.data['deletion_records'] as { record_id: string }[];
  const path = `retention/deletion-records/${record!.record_id}`;
  const answer = await vi.waitFor(
    async () => {
      const found = await call('auditor', 'GET', path);
      expect(found.data['proof']).not.toBeNull();
      return found.text;
    },
    { timeout: 20_000, interval: 300 },
  );
  const key = join(folder, 'key.pem');
  const pem = await readFile(join(service.dataDir, 'secrets', 'audit-signing-key.pem'), 'utf8');
  await writeFile(key, createPublicKey(pem).export({ type: 'spki', format: 'pem' }));
  const verifier = await buildVerifier(folder);
  const check = async (text: string): Promise<string> => {
    const file = join(folder, 'record.json');
    await writeFile(file, text);
    return run(process.execPath, [verifier, file, '--key', key]).then(
      ({ stdout }) => stdout,
      (error: unknown) => (error as { stdout: string }).stdout,
    );
  };
  expect(await check(answer)).toMatch(
    /^intact: deletion record del\..*\n {2}6 records deleted, 1 held; when the last copy is gone is not stated/,
  );
  expect(await check(answer.replace('\\"taken\\":6', '\\"taken\\":7'))).toMatch(/^tampered: .*content_changed/);
  expect(await check(answer.replace(/"seq":\d+/, '"seq":0'))).toMatch(/^tampered: .*not_in_log/);
  expect(await check(answer.replace(/"proof":\{[^}]*\}/, '"proof":null'))).toMatch(/^unproven: .*no_checkpoint_yet/);
});

it('ends before it began, when somebody cancels it', async () => {
  const drafted = await call('compliance', 'POST', 'retention/runs', { reason: 'Again' });
  const runId = drafted.data['run_id'] as string;
  await until(runId, 'previewed');
  expect((await call('admin', 'POST', `retention/runs/${runId}/cancel`)).data).toMatchObject({ state: 'cancelled' });
  expect((await call('admin', 'POST', `retention/runs/${runId}/cancel`)).status).toBe(400);
  expect((await call('compliance', 'POST', `retention/runs/${runId}/start`)).status).toBe(400);
});

it('goes on by itself, once a day, under what two people approved in advance, and says so', async () => {
  await admin.query(
    `INSERT INTO leads SELECT $1, 'swept.' || i, now() - interval '40 days' FROM generate_series(1, 3) AS i`,
    [service.organizationId],
  );
  const wanted = { categories: ['lead'], record_cap: 3, days: 90, reason: 'Routine' };
  const all = 'retention/standing-approvals';
  expect((await call('admin', 'POST', all, wanted)).status).toBe(403);
  for (const wrong of [{ days: 91 }, { record_cap: 10_001 }, { categories: [] }])
    expect((await call('compliance', 'POST', all, { ...wanted, ...wrong })).status, JSON.stringify(wrong)).toBe(400);
  const drafted = await call('compliance', 'POST', all, wanted);
  expect(drafted.data, drafted.text).toMatchObject({ state: 'draft', policy: { policy_id: 'records', version: 1 } });
  const standingId = drafted.data['standing_approval_id'] as string;
  const asked = await call('compliance', 'POST', `${all}/${standingId}/activate`);
  expect(asked.status, asked.text).toBe(202);
  const { approvals } = (await call('auditor', 'GET', 'approvals?state=open')).data as {
    approvals: { approval_id: string; content_hash: string }[];
  };
  const { approval_id: approvalId } = approvals.find((one) => one.content_hash === drafted.data['content_hash'])!;
  for (const person of ['admin', 'auditor'] as const)
    await call(person, 'POST', `approvals/${approvalId}/approve`, { content_hash: drafted.data['content_hash'] });
  const active = await call('compliance', 'POST', `${all}/${standingId}/activate`);
  expect(active.data, active.text).toMatchObject({ state: 'active' });

  const sweeping = service.parts.get(SweepDaily);
  await sweeping.run();
  const { runs } = (await call('auditor', 'GET', 'retention/runs')).data as {
    runs: { run_id: string; sweep: { standing_approval_id: string } | null }[];
  };
  const [swept, ...more] = runs.filter(({ sweep }) => sweep?.standing_approval_id === standingId);
  expect(more).toEqual([]);
  const done = await vi.waitFor(
    async () => {
      await sweeping.run();
      const { data } = await call('auditor', 'GET', `retention/runs/${swept!.run_id}`);
      expect(data).toMatchObject({ state: 'done' });
      return data;
    },
    { timeout: 30_000, interval: 300 },
  );
  expect(done).toMatchObject({ progress: { taken: 3 }, sweep: { approved_under_it: true, left_to_people_for: null } });
  const { rows } = await admin.query<{ content: string }>('SELECT content FROM deletion_records WHERE source_id = $1', [
    swept!.run_id,
  ]);
  expect(JSON.parse(rows[0]!.content)).toMatchObject({ approval: { standing_approval_id: standingId } });
  expect((await call('admin', 'POST', `${all}/${standingId}/revoke`)).data).toMatchObject({ state: 'revoked' });
});
