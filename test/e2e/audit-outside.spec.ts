import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { DeliverStatements } from '../../src/modules/audit/app/outside/deliver-statements.js';
import { openCheckpoint, parseCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { cosignedAt } from '../../src/modules/audit/domain/log/cosignature.js';
import { isConsistent } from '../../src/modules/audit/domain/log/merkle-proof.js';
import { parseNote, parseVerifierKey } from '../../src/modules/audit/domain/log/signed-note.js';
import { AuditKeys, type Verification, VerifyAuditLog } from '../../src/modules/audit/index.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { ChildService, freePort } from '../support/child-service.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { dropCheckpoints, rewriteRecord, signAnew } from '../support/tampering.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const DAY_MS = 86_400_000;
const ORIGIN = `forecourt/audit/${DEMO_ORGANIZATION}`;

let compiled: CompiledService;
let folder: string;
let service: TestService;
let receiver: WebhookReceiver;
let elsewhere: WebhookReceiver;
let witness: ChildService;
let witnessUrl: string;
let witnessKey: string;
let admin: pg.Client;
let token: string;
let ahead = 0;

beforeAll(async () => {
  compiled = await compileService();
  folder = await mkdtemp(join(tmpdir(), 'outside-'));
  receiver = await WebhookReceiver.start();
  elsewhere = await WebhookReceiver.start();
  const port = await freePort();
  witnessUrl = `http://127.0.0.1:${port}`;
  service = await startTestService({
    demo: false,
    clock: { now: () => Date.now() + ahead },
    env: {
      EGRESS_ALLOWED_HOSTS: `127.0.0.1:${port},${receiver.host},${elsewhere.host}`,
      AUDIT_MAIL_DIR: join(folder, 'mail'),
    },
  });
  token = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'admin')}`;
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  const logKey = join(folder, 'log.pem');
  await writeFile(logKey, (await audit('GET', 'keys')).json.data.keys[0].public_key as string);
  const args = ['--key', join(folder, 'witness.key'), '--state', join(folder, 'state'), '--log-key', logKey];
  witness = new ChildService(
    [compiled.command, 'audit', 'witness', ...args, '--name', 'group.witness', '--listen', `127.0.0.1:${port}`],
    {},
  );
  await witness.until('listening on');
  witnessKey = /witness key: (\S+)/.exec(witness.output)![1]!;
});

afterAll(async () => {
  await admin.end();
  await service.stop();
  await witness.stop();
  await receiver.stop();
  await elsewhere.stop();
  await compiled.remove();
  await rm(folder, { recursive: true, force: true });
});

const audit = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object, headers = {}): Promise<WireAnswer> =>
  callAdmin(service, token, method, `audit/${path}`, body, headers);

/** Changes a target as whoever has just looked at it. */
async function changeTarget(method: 'POST' | 'PATCH', id: string, step: string, body: object): Promise<WireAnswer> {
  const tag = (await audit('GET', `targets/${id}`)).headers.get('etag')!;
  return audit(method, `targets/${id}${step}`, body, { 'if-match': tag });
}

interface ListedTarget {
  readonly target_id: string;
  readonly delivery: { readonly problem: string | null; readonly failures: number; readonly witnessed_size?: number };
}

async function targetOf(id: string): Promise<ListedTarget> {
  const targets = (await audit('GET', 'targets')).json.data.targets as ListedTarget[];
  return targets.find((target) => target.target_id === id)!;
}

async function eventually<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
  for (let i = 0; ; i++) {
    const seen = await look();
    if (holds(seen) || i > 100) return seen;
    await new Promise((done) => setTimeout(done, 200));
  }
}

async function keptByWitness(): Promise<string> {
  const [file] = (await readdir(join(folder, 'state'))).filter((name) => name.endsWith('.note'));
  return readFile(join(folder, 'state', file!), 'utf8');
}

const sizeOf = (note: string): number => parseCheckpoint(parseNote(note)!.text)!.size;

describe('proofs and keys', () => {
  it('show that a newer state begins with the one that was kept', async () => {
    const newest = async (): Promise<string> => {
      const answer = await audit('GET', 'checkpoint');
      return answer.status === 200 ? (answer.json.data.checkpoint as string) : '';
    };
    const older = await eventually(newest, (note) => note !== '');
    const newer = await eventually(newest, (note) => sizeOf(note) > sizeOf(older));
    const keys = service.parts.get(AuditKeys);
    const [first, second] = [keys.open(older, ORIGIN)!, keys.open(newer, ORIGIN)!];
    const proof = await audit('GET', `consistency?from=${first.size}&to=${second.size}`);
    const path = (proof.json.data.consistency_path as string[]).map((hash) => Buffer.from(hash, 'base64'));
    expect(isConsistent(first.size, second.size, path, first.root, second.root)).toBe(true);
    expect(sizeOf((await audit('GET', `checkpoints/${first.size}`)).json.data.checkpoint as string)).toBe(first.size);
    expect(second.clock?.uncertaintyMs, 'the clock is part of what is signed').toBeGreaterThan(0);
    const reasons: unknown[] = [];
    for (const path of [
      'consistency?from=5&to=2',
      'consistency?from=1&to=99999999',
      'checkpoints/99999999',
      'checkpoints/x',
    ])
      reasons.push((await audit('GET', path)).json.error.details.reason ?? null);
    expect(reasons).toEqual([null, 'not_found', 'not_found', 'not_found']);
  });

  it('list the keys as notes name them', async () => {
    const { data } = (await audit('GET', 'keys')).json as {
      data: { origin: string; keys: { verifier_key: string }[] };
    };
    expect(data).toMatchObject({ origin: ORIGIN, keys: [{ state: 'current' }] });
    const note = (await audit('GET', 'checkpoint')).json.data.checkpoint as string;
    const key = parseVerifierKey(data.keys[0]!.verifier_key)!;
    expect(openCheckpoint(note, ORIGIN, [key.publicKey])).toBeDefined();
  });

  it('are beside the health of the trail', async () => {
    const answer = await fetch(`${service.origin}/health/audit`);
    expect(await answer.json()).toMatchObject({ status: 'ok', sequencing_lag_seconds: expect.any(Number) });
  });
});

describe('targets', () => {
  it('are refused where nothing can be sent', async () => {
    const wrong = [
      { kind: 'witness', address: witnessUrl },
      { kind: 'witness', address: witnessUrl, witness_key: 'no+key' },
      { kind: 'webhook', address: 'ftp://somewhere' },
      { kind: 'webhook', address: 'https://user:word@somewhere/' },
      { kind: 'mail', address: 'nobody' },
      { kind: 'mail', address: 'a@b.example,c@d.example' },
      { kind: 'webhook', address: 'https://somewhere/', time_zone: 'Mars/Olympus' },
      { kind: 'pigeon', address: 'https://somewhere/' },
    ];
    for (const body of wrong) expect((await audit('POST', 'targets', body)).status, JSON.stringify(body)).toBe(400);
  });

  it('that are private and not exempted are not reached', async () => {
    const body = { kind: 'witness', address: 'http://127.0.0.1:9', witness_key: witnessKey };
    const id = (await audit('POST', 'targets', body)).json.data.target_id as string;
    const seen = await eventually(
      () => targetOf(id),
      ({ delivery }) => delivery.problem !== null,
    );
    expect(seen.delivery.problem).toBe('scheme_refused');
    const refused = await audit('PATCH', `targets/${id}`, { address: witnessUrl });
    expect(refused.json.error.details.reason).toBe('precondition_required');
    const stale = await audit('PATCH', `targets/${id}`, { address: witnessUrl }, { 'if-match': '"2"' });
    expect(stale.json.error.details.reason).toBe('precondition_failed');
    for (const body of [
      { address: 'ftp://somewhere' },
      { time_zone: 'Mars/Olympus' },
      { kind: 'webhook' },
      { witness_key: witnessKey },
    ])
      expect((await changeTarget('PATCH', id, '', body)).status, JSON.stringify(body)).toBe(400);
    expect((await changeTarget('POST', id, '/rotate-secret', {})).status, 'a witness has no secret').toBe(400);

    const put = await changeTarget('PATCH', id, '', { address: witnessUrl });
    expect(put.status, put.text).toBe(200);
    expect(put.json.data).toMatchObject({ address: witnessUrl, witness_key: witnessKey });
    const right = await eventually(
      () => targetOf(id),
      ({ delivery }) => delivery.witnessed_size! > 0,
    );
    expect(right.delivery.witnessed_size, 'it is put right, and reached').toBeGreaterThan(0);
    expect((await audit('POST', `targets/${id}/revoke`)).json.data).toEqual({ target_id: id, revoked: true });
    expect((await changeTarget('PATCH', id, '', { address: witnessUrl })).status, 'it was revoked').toBe(400);
  });
});

describe("the group's own witness", () => {
  let id: string;

  /** The note of a daily statement, which somebody else keeps. */
  async function toldByStatement(): Promise<string> {
    const body = { kind: 'webhook', address: `http://${elsewhere.host}/kept` };
    const created = await audit('POST', 'targets', body);
    expect(created.status, created.text).toBe(201);
    ahead += DAY_MS;
    await service.parts.get(DeliverStatements).run();
    const [message] = elsewhere.messages.splice(0);
    await audit('POST', `targets/${created.json.data.target_id as string}/revoke`);
    return (JSON.parse(message!.body) as { data: { checkpoint: string } }).data.checkpoint;
  }

  /**
   * Whoever has every right and the key: a record, its leaf and its tile say something else, and what was signed of it is signed
   * anew. The newest state is left out: the running service signs it by itself. @returns the row.
   */
  async function rewriteHistory(): Promise<number> {
    const { rows } = await admin.query<{ seq: number; size: number }>(
      `SELECT min(k.seq)::integer AS seq, (SELECT size::integer FROM audit_logs WHERE organization_id = $1) AS size
       FROM audit_entries k JOIN audit_events e USING (recorded_at, event_id) WHERE k.organization_id = $1 AND e.outcome = 'succeeded' AND k.seq > 2`,
      [DEMO_ORGANIZATION],
    );
    const [{ seq, size } = { seq: 0, size: 0 }] = rows;
    const privateKey = createPrivateKey(
      await readFile(join(service.dataDir, 'secrets', 'audit-signing-key.pem'), 'utf8'),
    );
    const key = { privateKey, publicKey: createPublicKey(privateKey) };
    await unguarded(async () => {
      await rewriteRecord(admin, { organizationId: DEMO_ORGANIZATION, rows: size }, seq);
      const sizes = await dropCheckpoints(admin, { organizationId: DEMO_ORGANIZATION }, seq);
      await admin.query('DELETE FROM audit_cosignatures WHERE organization_id = $1 AND size > $2', [
        DEMO_ORGANIZATION,
        seq,
      ]);
      const earlier = sizes.filter((at) => at < Math.max(...sizes));
      await signAnew(admin, { organizationId: DEMO_ORGANIZATION, origin: ORIGIN, key }, earlier);
    });
    return seq;
  }

  /** What the service finds by itself. A state that was being signed meanwhile still says the truth: it is dropped like the others. */
  async function rewrittenFrom(seq: number): Promise<Verification> {
    const found = await service.parts.get(VerifyAuditLog).run(DEMO_ORGANIZATION);
    if (found.result === 'tampered')
      await unguarded(() => dropCheckpoints(admin, { organizationId: DEMO_ORGANIZATION }, seq));
    return found;
  }

  async function unguarded(work: () => Promise<unknown>): Promise<void> {
    const tables = ['audit_events', 'audit_entries', 'audit_tiles', 'audit_checkpoints', 'audit_cosignatures'];
    await admin.query('BEGIN');
    for (const table of tables) await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await work();
    for (const table of tables) {
      await admin.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${table}_are_final`);
      await admin.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${table}_are_kept`);
    }
    await admin.query('COMMIT');
  }

  /** As docs/operations/be-your-own-witness.md has it, without database and service. */
  async function checkedOffline(kept: string): Promise<{ code: number | null; said: string }> {
    const newer = (await audit('GET', 'checkpoint')).json.data.checkpoint as string;
    const proof = await audit('GET', `consistency?from=${sizeOf(kept)}&to=${sizeOf(newer)}`);
    const files = { 'kept.note': kept, 'now.note': newer, 'proof.json': proof.text };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const [one, other, path] = Object.keys(files).map((name) => join(folder, name)) as [string, string, string];
    const args = ['audit', 'consistency', one, other, '--proof', path, '--key', join(folder, 'log.pem')];
    const command = new ChildService([compiled.command, ...args], {});
    const { code } = await command.ended;
    return { code, said: command.stdout };
  }

  it('cosigns the log as it grows', async () => {
    const body = { kind: 'witness', address: witnessUrl, witness_key: witnessKey };
    const created = await audit('POST', 'targets', body);
    expect(created.status).toBe(201);
    id = created.json.data.target_id as string;
    const first = await eventually(
      () => targetOf(id),
      ({ delivery }) => delivery.witnessed_size! > 0,
    );
    const later = await eventually(
      () => targetOf(id),
      ({ delivery }) => delivery.witnessed_size! > first.delivery.witnessed_size!,
    );
    expect(later.delivery).toMatchObject({ failures: 0, problem: null });
    const { rows } = await admin.query<{ note: string }>('SELECT note FROM audit_cosignatures WHERE target_id = $1', [
      id,
    ]);
    expect(rows.length).toBeGreaterThan(1);
    for (const { note } of rows) expect(cosignedAt(note, parseVerifierKey(witnessKey)!)).toBeGreaterThan(1_700_000_000);
  });

  it('goes on from where the witness is when that was forgotten here', async () => {
    await admin.query('UPDATE audit_targets SET witnessed_size = 0, witnessed_at = NULL WHERE target_id = $1', [id]);
    const seen = await eventually(
      () => targetOf(id),
      ({ delivery }) => delivery.witnessed_size! > 0,
    );
    expect(seen.delivery.problem).toBeNull();
  });

  it('catches a history that was rewritten with the signing key, which verifying alone does not', async () => {
    const verifying = service.parts.get(VerifyAuditLog);
    const before = await keptByWitness();
    expect(await verifying.run(DEMO_ORGANIZATION, { kept: [before] })).toMatchObject({ result: 'intact' });
    const told = await toldByStatement();
    expect(await verifying.run(DEMO_ORGANIZATION, { kept: [told] })).toMatchObject({ result: 'intact' });
    const seq = await rewriteHistory();
    for (let i = 0; i < 5; i++) await audit('GET', 'receipts?rooftop_id=roof.a');
    const alone = await eventually(
      () => rewrittenFrom(seq),
      ({ result, rows, uncovered }) => result === 'intact' && rows > sizeOf(before) && uncovered === 0,
    );
    expect(alone, 'alone the service is satisfied').toMatchObject({ result: 'intact', findings: [] });
    for (const note of [before, told])
      expect(await verifying.run(DEMO_ORGANIZATION, { kept: [note] })).toMatchObject({ result: 'tampered' });
    const kept = await keptByWitness();
    expect(await verifying.run(DEMO_ORGANIZATION, { kept: [kept] })).toMatchObject({ result: 'tampered' });
    const seen = await eventually(
      () => targetOf(id),
      ({ delivery }) => ['history_inconsistent', 'witness_ahead'].includes(String(delivery.problem)),
    );
    expect(seen.delivery.problem).toMatch(/^(?:history_inconsistent|witness_ahead)$/);
    const { rows } = await admin.query(
      `SELECT outcome, reason, resource_ids FROM audit_events WHERE organization_id = $1 AND operation = 'audit.witness'`,
      [DEMO_ORGANIZATION],
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows[0]).toMatchObject({ outcome: 'failed', resource_ids: [id] });
    expect(await keptByWitness(), 'the witness keeps what it signed').toBe(kept);
    // The group hears it from its own machine, and has both states with the signature of the log.
    await witness.until('ALARM');
    expect(witness.output).toContain(`ALARM ${ORIGIN} is not what was signed here`);
    const refused = (await readdir(join(folder, 'state'))).find((name) => name.endsWith('.refused'))!;
    const shown = service.parts.get(AuditKeys).open(await readFile(join(folder, 'state', refused), 'utf8'), ORIGIN);
    expect(shown?.size).toBeGreaterThanOrEqual(sizeOf(kept));
    expect(await checkedOffline(kept)).toEqual({ code: 1, said: expect.stringMatching(/^inconsistent: /) as string });
  });
});

describe('daily statements', () => {
  let old: string;

  it('arrive once for each day, also for days that were missed, and are repeated word for word after a failure', async () => {
    const zone = { time_zone: 'America/Chicago' };
    const hook = await audit('POST', 'targets', { kind: 'webhook', address: `http://${receiver.host}/audit`, ...zone });
    const secret = hook.json.data.secret as string;
    old = secret;
    expect(secret).toMatch(/^whsec_/);
    expect(JSON.stringify((await audit('GET', 'targets')).json)).not.toContain(secret);
    const mail = await audit('POST', 'targets', { kind: 'mail', address: 'compliance@group.example', ...zone });
    const statements = service.parts.get(DeliverStatements);
    await statements.run();
    expect(receiver.messages, 'the day is not over').toEqual([]);

    ahead += 2 * DAY_MS;
    receiver.answers.push(500);
    await statements.run();
    expect(receiver.messages).toHaveLength(1);
    ahead += 10_000;
    await Promise.all([statements.run(), statements.run()]);
    ahead += 10_000;
    await statements.run();
    const [failed, ...arrived] = receiver.messages;
    expect(arrived).toHaveLength(2);
    expect(arrived[0]).toMatchObject({ body: failed!.body });
    expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    for (const { headers, body } of receiver.messages) {
      const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    }
    const { data } = JSON.parse(arrived[1]!.body) as { data: { checkpoint: string; size: number; origin: string } };
    expect(service.parts.get(AuditKeys).open(data.checkpoint, ORIGIN)).toMatchObject({ size: data.size });

    const files = await readdir(join(folder, 'mail'));
    expect(files.toSorted().map((name) => name.slice(0, -'.2026-11-30.eml'.length))).toEqual([
      mail.json.data.target_id,
      mail.json.data.target_id,
    ]);
    const text = await readFile(join(folder, 'mail', files[0]!), 'utf8');
    expect(text).toMatch(/^From: .*\r\nTo: compliance@group\.example\r\nSubject: /);
    const parts = text
      .split('\r\n\r\n')
      .map((part) => Buffer.from(part.split('\r\n--')[0]!, 'base64').toString('utf8'));
    expect(parts[2]).toContain(ORIGIN);
    expect(service.parts.get(AuditKeys).open(parts[3]!, ORIGIN)).toBeDefined();

    const { rows } = await admin.query(
      `SELECT count(*)::integer AS n FROM audit_events WHERE organization_id = $1 AND operation = 'audit.statement' AND resource_ids && $2`,
      [DEMO_ORGANIZATION, [hook.json.data.target_id, mail.json.data.target_id]],
    );
    expect(rows).toEqual([{ n: 4 }]);
  });

  it('go to another address under another secret from the next day on, and nothing that was delivered goes again', async () => {
    const targets = (await audit('GET', 'targets')).json.data.targets as {
      target_id: string;
      kind: string;
      revoked_at: string | null;
    }[];
    const id = targets.find(({ kind, revoked_at: end }) => kind === 'webhook' && end === null)!.target_id;
    const statements = service.parts.get(DeliverStatements);
    const sent = receiver.messages.length;
    const moved = await changeTarget('PATCH', id, '', { address: `http://${elsewhere.host}/audit`, time_zone: 'UTC' });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.json.data).toMatchObject({ address: `http://${elsewhere.host}/audit`, time_zone: 'UTC' });
    const rotated = await changeTarget('POST', id, '/rotate-secret', { overlap_seconds: 3 * 86_400 });
    expect(rotated.status, rotated.text).toBe(201);
    const secret = rotated.json.data.secret as string;
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(old);

    ahead += DAY_MS;
    await statements.run();
    ahead += 5 * DAY_MS; // longer than the secret before counts
    await statements.run();
    expect(receiver.messages).toHaveLength(sent);
    const days = elsewhere.messages.map(({ body }) => (JSON.parse(body) as { data: { day: string } }).data.day);
    const told = receiver.messages.map(({ body }) => (JSON.parse(body) as { data: { day: string } }).data.day);
    expect(days).toHaveLength(6);
    expect(new Set([...days, ...told]).size, 'each day once').toBe(days.length + new Set(told).size);
    const signatures = elsewhere.messages.map(({ headers, body }) => {
      const said = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
      const by = (key: string): string =>
        `v1,${createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
          .update(said)
          .digest('base64')}`;
      return { has: headers['webhook-signature'], both: `${by(secret)} ${by(old)}`, one: by(secret) };
    });
    expect(signatures[0]!.has).toBe(signatures[0]!.both);
    expect(signatures.at(-1)!.has).toBe(signatures.at(-1)!.one);
  });
});
