import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAdmin, createKey } from '../support/admin-client.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { StreamReceiver } from '../support/stream-receiver.js';

/** Streams over the admin API, from the running service to a receiver on a real port; and the health of the trail beside them. */

let service: TestService;
let receiver: StreamReceiver;
let other: StreamReceiver;
let database: pg.Client;
let auditor: string;
let secret = '';
let answers: (number | 'torn')[] = [];

beforeAll(async () => {
  receiver = await StreamReceiver.start(
    () => secret,
    () => answers.shift() ?? 204,
  );
  other = await StreamReceiver.start(() => secret);
  const allowed = `${receiver.authority},${other.authority}`;
  service = await startTestService({ demo: false, env: { EGRESS_ALLOWED_HOSTS: allowed } });
  auditor = `Bearer ${await createKey(service, service.organizationId, 'auditor')}`;
  database = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  database.on('error', () => undefined); // it is dropped after the test
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await service.stop();
  await receiver.stop();
  await other.stop();
});

/** A machine that is busy with other things may refuse a call; it is made again. */
async function streams(method: string, path = '', body?: object, headers = {}): Promise<WireAnswer> {
  for (let tries = 0; ; tries++) {
    const answer = await callAdmin(service, auditor, method, `audit/streams${path}`, body, headers);
    if (!answer.text.includes('at capacity') || tries > 10) return answer;
    await new Promise((done) => setTimeout(done, 1000));
  }
}
const shown = async (id: string): Promise<Record<string, unknown>> =>
  (await streams('GET', `/${id}`)).json.data as Record<string, unknown>;

async function create(body: object): Promise<string> {
  const created = await streams('POST', '', { name: 'SIEM', ...body });
  expect(created.status, created.text).toBe(201);
  ({ secret } = created.json.data as { secret: string });
  return created.json.data.stream_id as string;
}

/** Waits until the receiver has all rows up to `to`. */
const received = (to: number): Promise<void> =>
  expect
    .poll(() => Array.from({ length: to }, (_, i) => i).every((seq) => receiver.seqs.includes(seq)), {
      timeout: 30_000,
    })
    .toBe(true);
/** Nothing comes for longer than streams are looked at. */
async function nothingComes(): Promise<void> {
  const attempts = receiver.attempts;
  await new Promise((done) => setTimeout(done, 1300));
  expect(receiver.attempts).toBe(attempts);
}

describe('a stream over the admin API', () => {
  let id: string;

  it('is created, shows its secret once, and delivers signed rows from the first one, also after failures', async () => {
    answers = [500, 'torn'];
    id = await create({ url: receiver.url });
    expect(secret).toMatch(/^whsec_/);
    for (let i = 0; i < 3; i++) await streams('GET'); // each look is a record
    await received(4);
    expect(receiver.badSignatures).toEqual([]);
    await expect.poll(() => receiver.attempts, { timeout: 20_000 }).toBeGreaterThan(2); // a torn answer counts as none
    const well = { state: 'active', failures: 0, last_problem: null };
    await expect.poll(() => shown(id), { timeout: 20_000 }).toMatchObject(well);
    for (const { rows, from, to } of receiver.taken)
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: to - from }, (_, i) => from + i));
    const told = await Promise.all([streams('GET'), streams('GET', `/${id}`)]);
    for (const { status, text } of told)
      expect({ status, tells: text.includes(secret) }).toEqual({ status: 200, tells: false });
    expect(told[0].json.data.streams).toEqual([expect.objectContaining({ stream_id: id, url: receiver.url })]);
  });

  it('pauses, resumes where it was, and sends a stretch again', async () => {
    expect((await streams('POST', `/${id}/pause`)).json.data).toMatchObject({ state: 'paused' });
    expect((await streams('POST', `/${id}/pause`)).status, 'it is paused already').toBe(429);
    await new Promise((done) => setTimeout(done, 700)); // a delivery that was under way
    await nothingComes();
    const { next_seq: next } = (await shown(id)) as { next_seq: number };
    expect((await streams('POST', `/${id}/resume`)).json.data).toMatchObject({ state: 'active' });
    await received(next + 2);
    const asked = await streams('POST', `/${id}/replays`, { from_seq: 1, to_seq: 3 });
    expect(asked.status, asked.text).toBe(201);
    expect(asked.json.data).toMatchObject({ from_seq: 1, to_seq: 3, done: false });
    const { replay_id: replayId } = asked.json.data as { replay_id: string };
    const again = (): number[] =>
      receiver.taken.filter((batch) => batch.replay_id === replayId).flatMap(({ rows }) => rows.map(({ seq }) => seq));
    await expect.poll(again, { timeout: 20_000 }).toEqual([1, 2]);
    await expect.poll(() => shown(id)).toMatchObject({ replays: [{ replay_id: replayId, done: true }] });
    expect(receiver.badSignatures).toEqual([]);
    for (const rows of [
      { from_seq: 3, to_seq: 3 },
      { from_seq: 0, to_seq: 9_000_000 },
      { from_seq: -1, to_seq: 1 },
      {},
    ])
      expect((await streams('POST', `/${id}/replays`, rows)).status, JSON.stringify(rows)).toBe(400);
  });

  it('goes on at another address, under another name and with another secret, from the row where it was', async () => {
    const change = async (method: string, path: string, body: object, tag?: string): Promise<WireAnswer> => {
      const named = tag ?? (await streams('GET', path.replace('/rotate-secret', ''))).headers.get('etag')!;
      return streams(method, path, body, named === 'none' ? {} : { 'if-match': named });
    };
    const seen = (await streams('GET', `/${id}`)).headers.get('etag')!;
    const elsewhere = { url: other.url, name: 'SIEM two' };
    for (const [tag, reason] of [
      ['none', 'precondition_required'],
      ['"99"', 'precondition_failed'],
    ] as const) {
      const refused = await change('PATCH', `/${id}`, elsewhere, tag);
      expect({ status: refused.status, reason: refused.json.error.details.reason as unknown }).toEqual({
        status: 400,
        reason,
      });
    }
    const changed = await change('PATCH', `/${id}`, elsewhere, seen);
    expect(changed.status, changed.text).toBe(200);
    expect(changed.json.data).toMatchObject({ ...elsewhere, state: 'active', failures: 0 });
    expect(changed.headers.get('etag')).not.toBe(seen);
    expect((await change('PATCH', `/${id}`, { name: 'Again' }, seen)).status, 'seen before the change').toBe(400);

    const { next_seq: from } = changed.json.data as { next_seq: number };
    await streams('GET'); // one row more
    await expect.poll(() => other.seqs.includes(from + 1), { timeout: 30_000 }).toBe(true);
    const both = new Set([...receiver.seqs, ...other.seqs]);
    const last = Math.max(...other.seqs);
    expect(Array.from({ length: last }, (_, i) => i).filter((seq) => !both.has(seq))).toEqual([]);
    expect(Math.min(...other.seqs)).toBe(from);
    const turned = receiver.seqs.length;

    const rotated = await change('POST', `/${id}/rotate-secret`, { overlap_seconds: 600 });
    expect(rotated.status, rotated.text).toBe(201);
    expect(rotated.json.data.secret).toMatch(/^whsec_/);
    expect(rotated.json.data.secret).not.toBe(secret);
    expect(Date.parse(rotated.json.data.previous_secret_until as string)).toBeGreaterThan(Date.now());
    const signed = other.signatures.length;
    await expect.poll(() => other.signatures.length, { timeout: 30_000 }).toBeGreaterThan(signed);
    expect(other.signatures.at(-1)).toBe(2);
    expect(other.badSignatures, 'the receiver has the secret before').toEqual([]);
    expect(receiver.seqs, 'nothing goes to the address that it left').toHaveLength(turned);

    for (const body of [
      { url: 'ftp://somewhere/' },
      { url: null },
      { name: '' },
      { format: 'ocsf' },
      { state: 'paused' },
    ])
      expect((await change('PATCH', `/${id}`, body)).status, JSON.stringify(body)).toBe(400);
    for (const body of [{ overlap_seconds: -1 }, { overlap_seconds: 9_000_000 }])
      expect((await change('POST', `/${id}/rotate-secret`, body)).status, JSON.stringify(body)).toBe(400);
  });

  it('ends for good when it is revoked', async () => {
    expect((await streams('POST', `/${id}/revoke`)).json.data).toMatchObject({ state: 'revoked' });
    await new Promise((done) => setTimeout(done, 700));
    await nothingComes();
    for (const path of ['resume', 'pause', 'revoke'])
      expect((await streams('POST', `/${id}/${path}`)).status, path).toBe(429);
    expect((await streams('POST', `/${id}/replays`, { from_seq: 0, to_seq: 1 })).status).toBe(429);
  });

  it('reaches no private address, and says so', async () => {
    const attempts = receiver.attempts;
    const port = receiver.authority.split(':')[1]!;
    const places = {
      [`https://localhost:${port}/`]: 'address_refused',
      'https://10.0.0.1/': 'address_refused',
      'https://[::1]/': 'address_refused',
      'https://169.254.169.254/latest': 'address_refused',
      'http://127.0.0.1:9/': 'scheme_refused',
    };
    for (const [url, problem] of Object.entries(places)) {
      const other = await create({ url });
      await expect.poll(async () => (await shown(other))['last_problem'], { timeout: 20_000 }).toBe(problem);
      await streams('POST', `/${other}/revoke`);
    }
    expect(receiver.attempts).toBe(attempts);
    for (const url of ['ftp://somewhere/', 'https://user:word@somewhere/', 'file:///etc/passwd'])
      expect((await streams('POST', '', { name: 'SIEM', url })).status, url).toBe(400);
  });

  it('is for auditors; targets are for those who answer for the organization', async () => {
    const byRole = async (path: string): Promise<Record<string, number>> => {
      const statuses: Record<string, number> = {};
      for (const role of ['admin', 'compliance', 'auditor'] as const) {
        const bearer = `Bearer ${await createKey(service, service.organizationId, role)}`;
        statuses[role] = (await callAdmin(service, bearer, 'GET', path)).status;
      }
      return { ...statuses, nobody: (await callAdmin(service, null, 'GET', path)).status };
    };
    expect(await byRole('audit/streams')).toEqual({ admin: 403, compliance: 403, auditor: 200, nobody: 401 });
    expect(await byRole(`audit/streams/${id}`)).toEqual({ admin: 403, compliance: 403, auditor: 200, nobody: 401 });
    expect(await byRole('audit/targets')).toEqual({ admin: 200, compliance: 200, auditor: 403, nobody: 401 });
    const none = await streams('GET', '/stream.none');
    expect({ status: none.status, reason: none.json.error.details.reason as unknown }).toEqual({
      status: 400,
      reason: 'not_found',
    });
  });
});

describe('GET /health/audit', () => {
  const health = async (): Promise<unknown> => (await fetch(`${service.origin}/health/audit`)).json();

  it('says how far numbering is behind while a transaction that writes holds it back, and that it is over', async () => {
    await expect.poll(health, { timeout: 20_000 }).toMatchObject({ status: 'ok' });
    const holding = new pg.Client({ connectionString: service.database.adminUrl });
    await holding.connect();
    try {
      await holding.query('BEGIN; SELECT pg_current_xact_id()');
      await streams('GET'); // its record waits behind
      const lag = async (): Promise<unknown> =>
        ((await health()) as { sequencing_lag_seconds: unknown }).sequencing_lag_seconds;
      await expect.poll(lag, { timeout: 20_000 }).toBeGreaterThan(1.5);
      // What ten seconds would do.
      await database.query('ALTER TABLE audit_events DISABLE TRIGGER USER');
      await database.query(
        `UPDATE audit_events e SET recorded_at = recorded_at - interval '11 seconds'
         WHERE NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id)`,
      );
      await expect
        .poll(health, { timeout: 20_000 })
        .toMatchObject({ status: 'alarm', sequencing_lag_seconds: expect.any(Number) });
      expect(await lag()).toBeGreaterThan(10);
      await holding.query('COMMIT');
      await expect.poll(health, { timeout: 20_000 }).toMatchObject({ status: 'ok' });
      await expect.poll(lag, { timeout: 20_000 }).toBeLessThan(1.5);
    } finally {
      await holding.end();
    }
  });
});
