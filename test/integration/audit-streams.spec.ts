import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newRequestId, traceIdOfRequest } from '../../src/kernel/ids.js';
import type { AuditRecord } from '../../src/kernel/ports/audit-recorder.js';
import type { UnitOfWork } from '../../src/kernel/ports/unit-of-work.js';
import { ChangeAuditStream, type StreamToChange } from '../../src/modules/audit/app/streams/change-audit-stream.js';
import { DeliverAuditStreams } from '../../src/modules/audit/app/streams/deliver-audit-streams.js';
import { ManageAuditStreams } from '../../src/modules/audit/app/streams/manage-audit-streams.js';
import { StreamAudit } from '../../src/modules/audit/app/streams/stream-audit.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresExportedEntries } from '../../src/modules/audit/infra/postgres-exported-entries.js';
import { PostgresStreamDeliveries } from '../../src/modules/audit/infra/postgres-stream-deliveries.js';
import { PrismaAuditStreams } from '../../src/modules/audit/infra/prisma-audit-streams.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { SealedStreamSecrets } from '../../src/modules/audit/infra/sealed-stream-secrets.js';
import { WebhookSender } from '../../src/modules/audit/infra/webhook-sender.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { EgressClient } from '../../src/platform/egress/egress-client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { StreamReceiver } from '../support/stream-receiver.js';

const ORGANIZATION = 'org.stream';
const ROWS = 3000;
const ORIGIN = {
  eventId: newRequestId(),
  traceId: 'trc_test',
  surface: 'admin',
  actorKind: 'key',
  actor: 'key.test',
  client: null,
} as const;

let database: TestDatabase;
let pool: pg.Pool;
let unitOfWork: UnitOfWork & { close(): Promise<void> };
let admin: pg.Client;
let secret = '';
const receivers: StreamReceiver[] = [];
const clients: EgressClient[] = [];
const clock = { now: () => Date.now() };
const secrets = new SealedStreamSecrets([Buffer.alloc(32, 1)]);

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.appUrl, size: 6, waitMs: 5000, name: 'streams', onError: () => undefined });
  unitOfWork = new PrismaUnitOfWork(pool, 5000);
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ('${ORGANIZATION}', 'Stream')`);
  await append(ROWS);
});
afterEach(async () => {
  await admin.query(`UPDATE audit_streams SET state = 'revoked'`);
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(async () => {
  await unitOfWork.close();
  await admin.end();
  await database.drop();
});

async function numbered(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('SELECT sequence_audit(100000)::float8 AS n');
  return rows[0]?.n ?? 0;
}

async function append(rows: number): Promise<void> {
  const nonces = new NoncePool();
  const lines = Array.from({ length: rows }, () => {
    const eventId = newRequestId();
    const said: AuditRecord = {
      eventId,
      occurredAt: Date.now(),
      organizationId: ORGANIZATION,
      traceId: traceIdOfRequest(eventId),
      surface: 'mcp',
      operation: 'dealeragent.test',
      profile: null,
      actorKind: 'agent',
      actor: 'agent.a',
      client: null,
      rooftopIds: [],
      resourceIds: [],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
    };
    return auditLine(said, nonces.next());
  });
  await pool.query('SELECT append_audit($1, $2)', [ORGANIZATION, lines.join('\n')]);
  for (let left = 1; left > 0;) left = await numbered();
}

const logSize = async (): Promise<number> =>
  (await admin.query<{ size: number }>('SELECT size::float8 AS size FROM audit_logs')).rows[0]?.size ?? 0;

const managing = (): ManageAuditStreams =>
  new ManageAuditStreams(unitOfWork, new PrismaAuditStreams(), secrets, audit(), clock);
const changing = (): ChangeAuditStream =>
  new ChangeAuditStream(unitOfWork, new PrismaAuditStreams(), secrets, audit(), clock);
const audit = (): StreamAudit => new StreamAudit(unitOfWork, new PrismaTransactionalAudit(new NoncePool()), clock);

function delivering(options: {
  exempt: readonly string[];
  leaseSeconds?: number;
  timeoutMs?: number;
}): DeliverAuditStreams {
  const egress = new EgressClient(options.exempt);
  clients.push(egress);
  const sender = new WebhookSender(egress, secrets, clock, options.timeoutMs ?? 300);
  return new DeliverAuditStreams(
    new PostgresStreamDeliveries(pool, options.leaseSeconds),
    new PostgresExportedEntries(pool),
    (held, batch) => sender.send(held, batch),
    audit(),
    clock,
    { gatewayId: 'forecourt', retryMs: 5 },
  );
}

async function receiving(behave?: Parameters<typeof StreamReceiver.start>[1]): Promise<StreamReceiver> {
  const receiver = await StreamReceiver.start(() => secret, behave);
  receivers.push(receiver);
  return receiver;
}

async function streamTo(url: string, more: { fromSeq?: number; format?: 'records' | 'ocsf' } = {}): Promise<string> {
  const wanted = { name: 'SIEM', url, format: more.format ?? 'records', fromSeq: more.fromSeq ?? 0 };
  const created = await managing().create(ORGANIZATION, wanted, ORIGIN);
  ({ secret } = created);
  return created.stream.streamId;
}

/** Passes until the stream has nothing more to send. */
async function deliverAll(streamId: string, ...workers: readonly DeliverAuditStreams[]): Promise<void> {
  for (;;) {
    await Promise.all(workers.map((worker) => worker.run()));
    const { behind, replays, stream } = await managing().health(ORGANIZATION, streamId);
    if (stream.state !== 'active' || (behind === 0 && replays.every((r) => r.nextSeq === r.to))) return;
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** The stream as it is, to be changed by whoever has seen it so. */
async function shown(streamId: string): Promise<StreamToChange> {
  const { stream } = await managing().health(ORGANIZATION, streamId);
  return { organizationId: ORGANIZATION, streamId, expected: [stream.version], origin: ORIGIN };
}

function deferred(): { readonly reached: Promise<void>; done(): void } {
  let done = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    done = resolve;
  });
  return { reached, done };
}

/** Numbers from `from` to `to` that were never taken. */
function gaps(receiver: StreamReceiver, from: number, to: number): number[] {
  const seen = new Set(receiver.seqs);
  return Array.from({ length: to - from }, (_, i) => from + i).filter((seq) => !seen.has(seq));
}

describe('a stream of the trail', () => {
  it('reaches a receiver that fails a third of the time with every row and no gap', async () => {
    const receiver = await receiving((n) => ([500, 'late', 'torn', 429][(n * 7) % 13] as number | undefined) ?? 204);
    const streamId = await streamTo(receiver.url);
    await deliverAll(streamId, delivering({ exempt: [receiver.authority] }));
    const size = await logSize();
    expect(receiver.attempts).toBeGreaterThan(receiver.taken.length);
    expect(gaps(receiver, 0, size)).toEqual([]);
    expect(receiver.badSignatures).toEqual([]);
    for (const { from, to, rows } of receiver.taken)
      expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: to - from }, (_, i) => from + i));
    const { stream, behind } = await managing().health(ORGANIZATION, streamId);
    expect({ behind, failures: stream.failures }).toEqual({ behind: 0, failures: 0 });
  });

  it('is delivered by one of two processes at a time, each row once where nothing fails', async () => {
    const receiver = await receiving();
    const streamId = await streamTo(receiver.url);
    const exempt = [receiver.authority];
    await deliverAll(streamId, delivering({ exempt }), delivering({ exempt }), delivering({ exempt }));
    expect(receiver.seqs).toHaveLength(await logSize());
    expect(gaps(receiver, 0, await logSize())).toEqual([]);
  });

  it('goes on after a process that died with the stream in its hands', async () => {
    const receiver = await receiving();
    const streamId = await streamTo(receiver.url);
    const dead = new PostgresStreamDeliveries(pool, 0.2);
    expect(await dead.hold({ organizationId: ORGANIZATION, streamId, token: 'dead' })).toBeDefined();
    const worker = delivering({ exempt: [receiver.authority] });
    await worker.run();
    expect(receiver.attempts).toBe(0);
    await deliverAll(streamId, worker);
    expect(gaps(receiver, 0, await logSize())).toEqual([]);
    const late = { delivered: true, from: 0, to: 5 } as const;
    const lost = { organizationId: ORGANIZATION, streamId, token: 'dead' };
    expect(await dead.end(lost, late)).toBe(false);
    const { stream } = await managing().health(ORGANIZATION, streamId);
    expect(await unitOfWork.withTenant(ORGANIZATION, (tx) => dead.stop(tx, lost, stream, 'gone'))).toBe(false);
    expect((await managing().health(ORGANIZATION, streamId)).stream.state).toBe('active');
  });

  it('sends a stretch again, and new rows before it', async () => {
    const receiver = await receiving();
    const streamId = await streamTo(receiver.url, { fromSeq: await logSize(), format: 'ocsf' });
    const replay = await managing().replay(ORGANIZATION, streamId, { from: 100, to: 350 }, ORIGIN);
    await append(1);
    await deliverAll(streamId, delivering({ exempt: [receiver.authority] }));
    const again = receiver.taken.filter((batch) => batch.replay_id === replay.replayId);
    expect(again.flatMap(({ rows }) => rows.map(({ seq }) => seq))).toEqual(
      Array.from({ length: 250 }, (_, i) => 100 + i),
    );
    expect(again[0]?.rows[0]).toMatchObject({ event: { class_uid: 6003, metadata: { sequence: 100 } } });
    expect(receiver.taken[0]?.replay_id).toBeNull();
    await expect(managing().replay(ORGANIZATION, streamId, { from: 5, to: 9e6 }, ORIGIN)).rejects.toMatchObject({
      code: 'input.invalid',
    });
  });

  it('stops where the receiver is gone or fails for a week, and resumes where it was', async () => {
    let answer = 410;
    const receiver = await receiving(() => answer);
    const streamId = await streamTo(receiver.url, { fromSeq: 500 });
    const worker = delivering({ exempt: [receiver.authority] });
    await deliverAll(streamId, worker);
    expect((await managing().health(ORGANIZATION, streamId)).stream).toMatchObject({ state: 'stopped', nextSeq: 500 });
    await managing().resume(ORGANIZATION, streamId, ORIGIN);
    answer = 503;
    await worker.run();
    await admin.query(`UPDATE audit_streams SET failing_since = now() - interval '8 days', retry_at = NULL`);
    await worker.run();
    const stopped = (await managing().health(ORGANIZATION, streamId)).stream;
    expect(stopped).toMatchObject({ state: 'stopped', lastProblem: 'http_503', nextSeq: 500 });
    answer = 200;
    await managing().resume(ORGANIZATION, streamId, ORIGIN);
    await deliverAll(streamId, worker);
    expect(gaps(receiver, 500, await logSize())).toEqual([]);
    const { rows } = await admin.query(
      `SELECT 1 FROM audit_events WHERE operation = 'audit.streams.stop' AND $1 = ANY (resource_ids)`,
      [streamId],
    );
    expect(rows).toHaveLength(2);
  });

  it('delivers nothing while it is paused, and never again once it is revoked', async () => {
    const receiver = await receiving();
    const streamId = await streamTo(receiver.url);
    const worker = delivering({ exempt: [receiver.authority] });
    await managing().pause(ORGANIZATION, streamId, ORIGIN);
    await worker.run();
    expect(receiver.attempts).toBe(0);
    // A pass that began before it was paused does not take it any more, either.
    const lease = { organizationId: ORGANIZATION, streamId, token: 'in the middle' };
    expect(await new PostgresStreamDeliveries(pool).hold(lease)).toBeUndefined();
    await managing().revoke(ORGANIZATION, streamId, ORIGIN);
    await worker.run();
    expect(receiver.attempts).toBe(0);
    await expect(managing().resume(ORGANIZATION, streamId, ORIGIN)).rejects.toMatchObject({ code: 'state.conflict' });
  });

  it('keeps its place when it goes elsewhere: both receivers together have every row, and none twice but what was under way', async () => {
    const [asked, answered] = [deferred(), deferred()];
    const before = await receiving(async (n) => {
      if (n !== 3) return 204;
      asked.done();
      await answered.reached;
      return 204;
    });
    const after = await receiving();
    const streamId = await streamTo(before.url);
    const worker = delivering({ exempt: [before.authority, after.authority], timeoutMs: 30_000 });
    const passing = worker.run();
    await asked.reached; // the third batch is with the receiver, who has not said yet that it took it
    const moved = await changing().change(await shown(streamId), { url: after.url });
    answered.done();
    await passing;
    expect(moved.nextSeq, 'two batches were acknowledged').toBe(before.taken[1]!.to);
    await append(3);
    await deliverAll(streamId, worker);

    expect(before.attempts, 'nothing more goes to the old address').toBe(3);
    expect(after.taken[0]).toEqual(before.taken[2]); // the same rows under the same id: told apart by nobody, told once by whoever looks
    expect(after.taken[0]!.from).toBe(before.taken[1]!.to);
    const ids = new Map([...before.taken, ...after.taken].map((batch) => [batch.id, batch.rows.map(({ seq }) => seq)]));
    const size = await logSize();
    expect([...ids.values()].flat()).toEqual(Array.from({ length: size }, (_, i) => i));
    expect([...before.badSignatures, ...after.badSignatures]).toEqual([]);
  });

  it('is not stopped by an address that it has left', async () => {
    const [asked, answered] = [deferred(), deferred()];
    const gone = await receiving(async () => {
      asked.done();
      await answered.reached;
      return 410;
    });
    const after = await receiving();
    const streamId = await streamTo(gone.url);
    const worker = delivering({ exempt: [gone.authority, after.authority], timeoutMs: 30_000 });
    const passing = worker.run();
    await asked.reached;
    await changing().change(await shown(streamId), { url: after.url });
    answered.done();
    await passing;
    const { stream } = await managing().health(ORGANIZATION, streamId);
    expect(stream).toMatchObject({ state: 'active', failures: 0, url: after.url });
    expect(stream.lastProblem).toBeUndefined();
    const { rows } = await admin.query(
      `SELECT 1 FROM audit_events WHERE operation = 'audit.streams.stop' AND $1 = ANY (resource_ids)`,
      [streamId],
    );
    expect(rows).toEqual([]);
  });

  it('that failed is tried at its new address at once', async () => {
    const failing = await receiving(() => 503);
    const well = await receiving();
    const streamId = await streamTo(failing.url);
    const worker = delivering({ exempt: [failing.authority, well.authority], timeoutMs: 30_000 });
    await worker.run();
    await admin.query(`UPDATE audit_streams SET retry_at = now() + interval '1 hour' WHERE stream_id = $1`, [streamId]);
    const renamed = await changing().change(await shown(streamId), { name: 'SIEM, renamed' });
    expect(renamed, 'a name is no reason').toMatchObject({
      name: 'SIEM, renamed',
      failures: 1,
      lastProblem: 'http_503',
    });
    await changing().change(await shown(streamId), { url: well.url });
    await worker.run();
    expect(well.taken[0]?.from).toBe(0);
  });

  it('is signed with a new secret, and with the one before while that counts', async () => {
    const receiver = await receiving();
    const streamId = await streamTo(receiver.url);
    const worker = delivering({ exempt: [receiver.authority], timeoutMs: 30_000 });
    const old = secret;
    const { secret: rotated, stream } = await changing().rotateSecret(await shown(streamId), 3600);
    expect(rotated).not.toBe(old);
    expect(stream.previousSecretUntil).toBeGreaterThan(Date.now() + 3000_000);
    await deliverAll(streamId, worker); // the receiver still has the old one
    expect(receiver.badSignatures).toEqual([]);
    expect(new Set(receiver.signatures)).toEqual(new Set([2]));

    secret = rotated;
    await append(1);
    await deliverAll(streamId, worker);
    expect(receiver.badSignatures).toEqual([]);
    await admin.query('UPDATE audit_streams SET previous_secret_until = now() WHERE stream_id = $1', [streamId]);
    await append(1);
    await deliverAll(streamId, worker);
    expect(receiver.signatures.at(-1)).toBe(1);
    expect(receiver.badSignatures).toEqual([]);
    const kept = `SELECT previous_secret, previous_secret_until FROM audit_streams WHERE stream_id = $1`;
    expect((await admin.query(kept, [streamId])).rows).toEqual([
      { previous_secret: null, previous_secret_until: null },
    ]);

    ({ secret } = await changing().rotateSecret(await shown(streamId), 0));
    await append(1);
    await deliverAll(streamId, worker);
    expect(receiver.signatures.at(-1), 'no overlap was asked for').toBe(1);
    expect(receiver.badSignatures).toEqual([]);
    secret = rotated;
    await append(1);
    await deliverAll(streamId, worker);
    expect(receiver.badSignatures, 'the one before counts no more').toHaveLength(1);
  });

  it('is changed by who has seen it as it is, and not once it is revoked; each change is a record', async () => {
    const streamId = await streamTo('https://receiver.example/audit');
    const seen = await shown(streamId);
    const refused = async (named: StreamToChange, reason: string): Promise<void> => {
      const failed = { code: 'input.precondition', context: { reason } };
      await expect(changing().change(named, { name: 'Other' })).rejects.toMatchObject(failed);
      await expect(changing().rotateSecret(named)).rejects.toMatchObject(failed);
    };
    await changing().change(seen, { name: 'SIEM two' });
    await refused(seen, 'precondition_failed');
    await refused({ ...seen, expected: undefined }, 'precondition_required');
    await changing().rotateSecret(await shown(streamId));
    await managing().revoke(ORGANIZATION, streamId, ORIGIN);
    await refused(await shown(streamId), 'precondition_failed');
    const { rows } = await admin.query<{ operation: string; before_hash: string; after_hash: string }>(
      `SELECT operation, before_hash, after_hash FROM audit_events WHERE $1 = ANY (resource_ids) ORDER BY recorded_at`,
      [streamId],
    );
    expect(rows.map(({ operation }) => operation)).toEqual(
      ['create', 'change', 'rotate_secret', 'revoke'].map((name) => `audit.streams.${name}`),
    );
    for (const [i, { before_hash: before, after_hash: after }] of rows.entries()) {
      expect(before).toBe(rows[i - 1]?.after_hash ?? null); // from one to the next nothing else was changed
      expect(after).not.toBe(before);
    }
  });

  it('never reaches a private address, neither from the beginning nor after a change', async () => {
    const receiver = await receiving();
    const address = receiver.url.replace('http:', 'https:');
    const streamId = await streamTo(address);
    await delivering({ exempt: [] }).run();
    expect((await managing().health(ORGANIZATION, streamId)).stream.lastProblem).toBe('address_refused');
    const changed = await streamTo('https://receiver.invalid/audit');
    await changing().change(await shown(changed), { url: address });
    await delivering({ exempt: [] }).run();
    expect(receiver.attempts).toBe(0);
    expect((await managing().health(ORGANIZATION, changed)).stream.lastProblem).toBe('address_refused');
  });

  it('keeps its secret sealed', async () => {
    const receiver = await receiving();
    const streamId = await streamTo(receiver.url);
    const { rows } = await admin.query<{ secret: Buffer }>('SELECT secret FROM audit_streams WHERE stream_id = $1', [
      streamId,
    ]);
    expect(rows[0]!.secret.includes(Buffer.from(secret))).toBe(false);
    expect(secrets.open(rows[0]!.secret, ORGANIZATION, streamId)).toBe(secret);
    expect(secrets.open(rows[0]!.secret, ORGANIZATION, 'stream.other')).toBeUndefined();
  });
});
