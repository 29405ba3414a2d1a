import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP, DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import type { WireAnswer } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const ROOFTOP = DEMO_GROUP.rooftops[0]!.rooftopId;

let service: TestService;
let admin: pg.Client;
let staff: string;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  staff = `Bearer ${await service.adminToken()}`;
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await service.stop();
});

const subject = (): string => `agent:${randomUUID()}`;
const grantFor = (name: string, more: object = {}): object => ({
  subject: name,
  rooftop_ids: [ROOFTOP],
  profiles: ['dealeragent.inventory.availability/0.1'],
  scopes: ['dealeragent:inventory:read'],
  purposes: ['vehicle_shopping'],
  expires_at: '2099-01-01T00:00:00Z',
  ...more,
});
const keyed = (key: string | null): { readonly 'idempotency-key': string | null } => ({ 'idempotency-key': key });
const create = (key: string | null, body: unknown, as = staff): Promise<WireAnswer> =>
  callAdmin(service, as, 'POST', 'grants', body, keyed(key));
const count = async (sql: string, ...values: unknown[]): Promise<number> =>
  (await admin.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${sql}`, values)).rows[0]!.count;
const grantsOf = (name: string): Promise<number> => count('grants WHERE subject = $1', name);
const recordOf = async (answer: WireAnswer): Promise<Record<string, unknown> | undefined> =>
  (
    await admin.query<Record<string, unknown>>('SELECT * FROM audit_events WHERE event_id = $1', [
      answer.headers.get('x-request-id'),
    ])
  ).rows[0];

describe('A POST of the admin API', () => {
  it.each([
    { what: 'no key', key: null, reason: 'idempotency_key_required' },
    { what: 'an empty key', key: '', reason: 'idempotency_key_required' },
    { what: 'a key that is too long', key: 'k'.repeat(256), reason: 'idempotency_key_invalid' },
    { what: 'a key with a space', key: 'two keys', reason: 'idempotency_key_invalid' },
    { what: 'a key beyond ASCII', key: 'schlüssel', reason: 'idempotency_key_invalid' },
  ])('is refused with $what, recorded, and not made', async ({ key, reason }) => {
    const name = subject();
    const answer = await create(key, grantFor(name));
    expect(answer).toMatchObject({
      status: 400,
      json: { data: null, error: { code: 'invalid_input', details: { reason } } },
    });
    expect(await grantsOf(name)).toBe(0);
    expect(await recordOf(answer)).toMatchObject({
      operation: 'grants.create',
      outcome: 'failed',
      failure_code: 'input.precondition',
    });
  });

  it('takes a key of 255 characters', async () => {
    expect(await create(`${randomUUID()}${'~'.repeat(219)}`, grantFor(subject()))).toMatchObject({ status: 201 });
  });

  it('answers what it answered, without the secret, and is made once', async () => {
    const [key, name] = [randomUUID(), subject()];
    const first = await create(key, grantFor(name));
    expect(first.json).toMatchObject({
      meta: { outcome: 'succeeded' },
      data: { key: { token: expect.stringMatching(/^fck_/) } },
    });
    // The same request: members in another order, other white space.
    const body = JSON.stringify(Object.fromEntries(Object.entries(grantFor(name)).reverse()), null, 3);
    const again = await callAdmin(service, staff, 'POST', 'grants', body, {
      ...keyed(key),
      'content-type': 'application/json',
    });
    const data = first.json.data as { key: object };
    expect(again).toMatchObject({ status: 201, json: { error: null, meta: { outcome: 'replayed' } } });
    expect(again.json.data).toEqual({
      ...data,
      key: { ...data.key, token: null, secret_notice: expect.stringMatching(/Rotate the credential/) },
    });
    expect(await grantsOf(name)).toBe(1);
    expect(await recordOf(again)).toMatchObject({
      operation: 'grants.create',
      outcome: 'succeeded',
      reason: 'replayed',
    });
    const { rows } = await admin.query('SELECT reply::text AS reply FROM idempotency_keys WHERE request_id = $1', [
      first.headers.get('x-request-id'),
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('fck_');
  });

  it('is made once when it is sent fifty times at once', async () => {
    const [key, name] = [randomUUID(), subject()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(key, grantFor(name))));
    const outcomes = answers.map((a) => (a.status === 429 ? 'come again' : String(a.json.meta.outcome)));
    expect(outcomes.filter((outcome) => outcome === 'succeeded')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['succeeded', ...outcomes.filter((o) => o !== 'succeeded')]));
    expect(outcomes.filter((o) => !['succeeded', 'replayed', 'come again'].includes(o))).toEqual([]);
    for (const answer of answers.filter((a) => a.status === 429))
      expect(answer.json.error).toMatchObject({
        code: 'rate_limited',
        retryable: true,
        retry_after_ms: expect.any(Number),
      });
    const later = await Promise.all(Array.from({ length: 5 }, () => create(key, grantFor(name))));
    const ids = new Set(
      [...answers.filter((a) => a.status === 201), ...later.filter((a) => a.status === 201)].map(
        (a) => (a.json.data as { grant_id: string }).grant_id,
      ),
    );
    expect(ids.size).toBe(1);
    expect(await grantsOf(name)).toBe(1);
    expect(
      await count(
        `audit_events WHERE operation = 'grants.create' AND reason IS NULL AND resource_ids[1] LIKE $1`,
        `${[...ids][0]}@%`,
      ),
    ).toBe(1);
  });

  it('is refused when its key was used for something else', async () => {
    const [key, name] = [randomUUID(), subject()];
    const { json } = await create(key, grantFor(name));
    const mismatch = {
      status: 400,
      json: { error: { code: 'invalid_input', details: { reason: 'idempotency_mismatch' } } },
    };
    expect(await create(key, grantFor(name, { purposes: [] }))).toMatchObject(mismatch);
    expect(await grantsOf(name)).toBe(1);
    // The same operation on another resource: the path is part of what is asked.
    const [one, other] = [(json.data as { grant_id: string }).grant_id, 'grant.other'];
    const revoke = (id: string): Promise<WireAnswer> =>
      callAdmin(service, staff, 'POST', `grants/${id}/revoke`, undefined, keyed(key));
    expect(await revoke(one)).toMatchObject({ status: 200 });
    expect(await revoke(other)).toMatchObject(mismatch);
  });

  it('is another one for another holder of the same key, and for another operation', async () => {
    const key = randomUUID();
    const second = `Bearer ${await createKey(service, DEMO_ORGANIZATION, 'admin')}`;
    const names = [subject(), subject()];
    const answers = [await create(key, grantFor(names[0]!)), await create(key, grantFor(names[1]!), second)];
    expect(answers.map((a) => [a.status, a.json.meta.outcome as string])).toEqual([
      [201, 'succeeded'],
      [201, 'succeeded'],
    ]);
    const delegation = {
      grantee: names[0],
      covers: 'listed',
      rooftop_ids: [ROOFTOP],
      scopes: [],
      expires_at: '2099-01-01T00:00:00Z',
    };
    expect(await callAdmin(service, staff, 'POST', 'group-delegations', delegation, keyed(key))).toMatchObject({
      status: 201,
      json: { meta: { outcome: 'succeeded' } },
    });
  });

  it('leaves its key unused when it failed', async () => {
    const [key, name] = [randomUUID(), subject()];
    expect((await create(key, grantFor(name, { rooftop_ids: ['roof.unknown'] }))).status).toBe(400);
    expect((await create(key, grantFor(name, { surplus: 1 }))).status).toBe(400);
    expect(await create(key, grantFor(name))).toMatchObject({ status: 201, json: { meta: { outcome: 'succeeded' } } });
  });

  it('is recorded once, whichever way it ended', async () => {
    for (const answer of [await create(randomUUID(), grantFor(subject())), await create(randomUUID(), {})])
      expect(await count('audit_events WHERE event_id = $1', answer.headers.get('x-request-id'))).toBe(1);
  });
});

describe('An upload under a key', () => {
  const FEED = 'feed.keyed';
  const csv = (note: string): string => `organization_id,rooftop_id\n${note},x\n`;
  const upload = (key: string, body: string): Promise<WireAnswer> =>
    callAdmin(service, staff, 'POST', `feeds/${FEED}/files?name=lot.csv`, body, keyed(key));
  const runs = (): Promise<number> => count('feed_runs WHERE feed_id = $1', FEED);

  beforeAll(async () => {
    const feed = { feed_id: FEED, name: 'Keyed', rooftops: { rooftop_id: ROOFTOP } };
    expect((await callAdmin(service, staff, 'POST', 'feeds', feed)).status).toBe(201);
  });

  it('makes one run, also when it comes again after the run has ended', async () => {
    const key = randomUUID();
    const before = await runs();
    const first = await upload(key, csv('one'));
    expect(first).toMatchObject({ status: 202, json: { meta: { outcome: 'succeeded' } } });
    const again = await upload(key, csv('one'));
    expect(again).toMatchObject({ status: 202, json: { meta: { outcome: 'replayed' } } });
    expect(again.json.data).toEqual(first.json.data);
    expect(await runs()).toBe(before + 1);
  });

  it('is refused with other bytes, or another name, under the same key', async () => {
    const key = randomUUID();
    const before = await runs();
    await upload(key, csv('two'));
    const reason = { error: { details: { reason: 'idempotency_mismatch' } } };
    expect(await upload(key, csv('three'))).toMatchObject({ status: 400, json: reason });
    const renamed = await callAdmin(
      service,
      staff,
      'POST',
      `feeds/${FEED}/files?name=other.csv`,
      csv('two'),
      keyed(key),
    );
    expect(renamed).toMatchObject({ status: 400, json: reason });
    expect(await runs()).toBe(before + 1);
  });

  it('makes one run when it is sent ten times at once', async () => {
    const key = randomUUID();
    const before = await runs();
    const answers = await Promise.all(Array.from({ length: 10 }, () => upload(key, csv('four'))));
    expect(answers.filter((a) => a.json.meta.outcome === 'succeeded')).toHaveLength(1);
    expect(answers.filter((a) => ![202, 429].includes(a.status))).toEqual([]);
    expect(await runs()).toBe(before + 1);
  });

  it('wakes a worker, which finds the run', async () => {
    const { json } = await upload(randomUUID(), csv('five'));
    const { run_id: runId } = json.data as { run_id: string };
    await expect
      .poll(async () => (await callAdmin(service, staff, 'GET', `feed-runs/${runId}`)).json.data.state as string, {
        timeout: 20_000,
      })
      .not.toMatch(/queued|running/);
  });
});

describe('The sweep', () => {
  it('deletes replies that were kept long enough, oldest first, and none younger than a day whatever it is asked', async () => {
    await admin.query('DELETE FROM idempotency_keys');
    for (const hours of [1, 20, 30, 49, 50, 51])
      await admin.query(
        `INSERT INTO idempotency_keys (organization_id, owner, operation, key_hash, fingerprint, request_id, reply, created_at)
         VALUES ($1, 'key:x', $2, sha256($2::text::bytea), sha256(''), 'req', '{}', now() - make_interval(hours => $3))`,
        [DEMO_ORGANIZATION, `hours ${hours}`, hours],
      );
    const left = async (): Promise<string[]> =>
      (
        await admin.query<{ operation: string }>('SELECT operation FROM idempotency_keys ORDER BY created_at DESC')
      ).rows.map((r) => r.operation);
    const sweep = (kept: string, limit: number): Promise<unknown> =>
      admin.query(`SELECT sweep_idempotency_keys($1::interval, $2)`, [kept, limit]);
    await sweep('48 hours', 2);
    expect(await left()).toEqual(['hours 1', 'hours 20', 'hours 30', 'hours 49']);
    await sweep('48 hours', 100);
    expect(await left()).toEqual(['hours 1', 'hours 20', 'hours 30']);
    await sweep('0 hours', 100);
    expect(await left()).toEqual(['hours 1', 'hours 20']);
  });
});
