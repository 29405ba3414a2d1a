import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { buildVerifier } from '../../tools/build-verifier.mjs';
import { callAdmin } from '../support/admin-client.js';
import { ageAuditLog } from '../support/aged-audit-log.js';
import { recordOf } from '../support/audit-log-world.js';
import { THIRTY_DAYS } from '../support/retention-world.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, personBearer } from '../support/staff.js';
import type { WireAnswer } from '../support/mcp-http.js';

const OLD = 512;
const HELD_SEQ = 70;
const POLICY = { rules: [{ ...THIRTY_DAYS, rule_id: 'audit.thirty-days', category: 'audit_event' }], rooftops: [] };

type Data = Readonly<Record<string, unknown>>;
type Role = 'admin' | 'compliance' | 'auditor';
let service: TestService;
let admin: pg.Client;
let bearers: Readonly<Record<Role, string>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forecourt-audit-retention-'));
  service = await startTestService({ demo: false });
  admin = new pg.Client({
    connectionString: service.database.adminUrl,
    options: '-c search_path=forecourt -c timezone=UTC',
  });
  await admin.connect();
  const persons = await addPersons(service, service.organizationId);
  bearers = {
    admin: await personBearer(service, persons.admin),
    compliance: await personBearer(service, persons.compliance),
    auditor: await personBearer(service, persons.auditor),
  };
  await admin.query(
    `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
     VALUES ($1, 1, 'trail', 'Trail', $2, repeat('a', 64), 'draft', 'a', 'test', 'apr', '{a,b}', now())`,
    [service.organizationId, JSON.stringify(POLICY)],
  );
  const nonces = new NoncePool();
  const lines = Array.from({ length: OLD + 88 }, () => auditLine(recordOf(service.organizationId), nonces.next()));
  await admin.query('SELECT append_audit($1, $2)', [service.organizationId, lines.join('\n')]);
  await signed(OLD + 88);
  await ageAuditLog(admin, service.organizationId, OLD, '2020_01');
});
afterAll(async () => {
  await admin.end();
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Waits until a checkpoint covers so many records. */
const signed = (records: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const { rows } = await admin.query<{ size: number }>(
        'SELECT max(size)::integer AS size FROM audit_checkpoints WHERE organization_id = $1',
        [service.organizationId],
      );
      expect(rows[0]?.size ?? 0).toBeGreaterThanOrEqual(records);
    },
    { timeout: 20_000, interval: 200 },
  );

const as = (role: Role, method: string, path: string, body?: object): Promise<WireAnswer> =>
  callAdmin(service, bearers[role], method, path, body);

const until = (path: string, state: string): Promise<Data> =>
  vi.waitFor(
    async () => {
      const { json } = await as('auditor', 'GET', path);
      expect(json.data).toMatchObject({ state });
      return json.data as Data;
    },
    { timeout: 30_000, interval: 200 },
  );

/** The standalone checker as a process of its own, in a folder without anything of the service. */
async function check(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  const args = ['forecourt-audit-check.mjs', name, '--key', 'key.pem'];
  return promisify(execFile)(process.execPath, args, { cwd: folder, env: {} }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { stdout: string }).stdout,
  );
}

async function carryOut(): Promise<Data> {
  const drafted = await as('compliance', 'POST', 'retention/runs', { reason: 'Routine', categories: ['audit_event'] });
  expect(drafted.status, drafted.text).toBe(202);
  const run = `retention/runs/${String(drafted.json.data['run_id'])}`;
  expect(await until(run, 'previewed')).toMatchObject({ preview: { over: OLD, going: OLD - 1 } });
  expect((await as('compliance', 'POST', `${run}/start`)).status).toBe(202);
  const shown = await as('auditor', 'GET', 'approvals?state=open');
  const [approval] = shown.json.data['approvals'] as { approval_id: string; content_hash: string }[];
  for (const role of ['admin', 'auditor'] as const) {
    const body = { content_hash: approval!.content_hash };
    const { status, text } = await as(role, 'POST', `approvals/${approval!.approval_id}/approve`, body);
    expect(status, text).toBe(200);
  }
  expect((await as('compliance', 'POST', `${run}/start`)).json.data).toMatchObject({ state: 'approved' });
  return until(run, 'done');
}

it('prunes what is over, keeps what is held, and an outsider can check both', { timeout: 120_000 }, async () => {
  const { rows } = await admin.query<{ seq: number; event_id: string }>(
    'SELECT seq::integer AS seq, event_id FROM audit_entries WHERE organization_id = $1 AND seq BETWEEN $2::integer AND $2::integer + 1 ORDER BY seq',
    [service.organizationId, HELD_SEQ],
  );
  const [held, gone] = rows.map(({ event_id: id }) => id);
  const hold = { matter: 'Roe v. Harbor', reason: 'letter', categories: ['audit_event'], record_ids: [held] };
  const placed = await as('compliance', 'POST', 'holds', hold);
  expect(placed.status, placed.text).toBe(201);

  expect(await carryOut()).toMatchObject({ progress: { taken: OLD - 1, held: 1 } });
  const left = await admin.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhrelid::regclass::text ~ '^audit_(events|entries)_2020'`,
  );
  expect(left.rows).toEqual([]); // the month went whole, and its entries with the year

  const pem = await readFile(join(service.dataDir, 'secrets', 'audit-signing-key.pem'), 'utf8');
  await writeFile(join(folder, 'key.pem'), createPublicKey(pem).export({ type: 'spki', format: 'pem' }));
  await buildVerifier(folder);
  const proof = await as('auditor', 'GET', `audit/records/${held}/proof`);
  expect(await check('proof.json', proof.text)).toMatch(new RegExp(`^intact: record ${held}, row ${HELD_SEQ} of `));
  expect(await check('proof.json', proof.text.replace('succeeded', 'falsified'))).toMatch(/^tampered: /);
  expect((await as('auditor', 'GET', `audit/records/${gone}/proof`)).status).not.toBe(200);

  const asked = await as('auditor', 'POST', 'audit/exports', { format: 'ndjson' });
  const exported = `audit/exports/${String(asked.json.data['export_id'])}`;
  await until(exported, 'ready');
  const { text } = await as('auditor', 'GET', `${exported}/file`);
  expect(text).toContain(held);
  expect(text).not.toContain(gone);
  const verdict = await check('export.ndjson', text);
  expect(verdict).toMatch(/^intact: \d+ rows, 1 held records of a pruned part\n/);
  expect(verdict).toContain(`rows before ${OLD}, run `);
  const line = text.split('\n').find((row) => row.includes(held!))!;
  const changed = text.replace(line, line.replace('succeeded', 'falsified'));
  expect(await check('export.ndjson', changed)).toMatch(/^tampered: /);
});
