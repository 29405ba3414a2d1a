import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import { newRequestId, newTraceId, PLATFORM_TENANT } from '../../src/kernel/ids.js';
import type { AuditRecord } from '../../src/kernel/ports/audit-recorder.js';
import { decodeCanonical, leafOf, matchesCommitment } from '../../src/modules/audit/domain/stored-record.js';
import { GroupCommitAuditRecorder } from '../../src/modules/audit/infra/group-commit-audit-recorder.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { withRoom } from '../support/with-room.js';

interface AuditRow {
  readonly event_id: string;
  readonly organization_id: string;
  readonly occurred_at: Date;
  readonly actor: string | null;
  readonly client: string | null;
  readonly canon: Buffer;
  readonly nonce: Buffer;
  readonly leaf: Buffer;
}

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query('SET search_path = forecourt');
});

afterAll(async () => {
  await admin.end();
  await database.drop();
});

const openAuditPool = (name: string, url = database.appUrl): pg.Pool =>
  openPool({ url, size: 2, waitMs: 1000, statementMs: 1800, name, onError: () => undefined });

const newRecorder = (name = 'audit-test'): GroupCommitAuditRecorder =>
  new GroupCommitAuditRecorder(openAuditPool(name), new NoncePool());

function auditRecord(changes: Partial<AuditRecord> = {}): AuditRecord {
  return {
    eventId: newRequestId(),
    occurredAt: Date.parse('2026-11-30T06:00:00.123Z'),
    organizationId: 'north-group',
    traceId: newTraceId(),
    surface: 'mcp',
    operation: 'dealer.inventory.search',
    profile: 'core',
    actorKind: 'anonymous',
    actor: null,
    client: null,
    rooftopIds: ['north.main', 'north.west'],
    resourceIds: ['veh.a', 'veh.b'],
    decision: 'allow',
    reason: null,
    policyVersion: 'policy@3',
    outcome: 'succeeded',
    failureCode: null,
    purpose: 'shopping_assistance',
    ...changes,
  };
}

async function storedRow(eventId: string): Promise<AuditRow> {
  const { rows } = await admin.query<AuditRow>('SELECT * FROM audit_events WHERE event_id = $1', [eventId]);
  expect(rows).toHaveLength(1);
  return rows[0]!;
}

async function recordAndRead(record: AuditRecord): Promise<AuditRow> {
  const recorder = newRecorder();
  await recorder.record(record);
  const row = await storedRow(record.eventId); // before the recorder closes: it is durable when the call returns
  await recorder.close();
  return row;
}

async function countOf(operation: string): Promise<{ rows: number; events: number }> {
  const { rows } = await admin.query<{ rows: number; events: number }>(
    'SELECT count(*)::int AS rows, count(DISTINCT event_id)::int AS events FROM audit_events WHERE operation = $1',
    [operation],
  );
  return rows[0]!;
}

/** The code with which a record was refused; undefined when it was kept. */
const refusalOf = (work: Promise<void>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof Failure ? error.code : String(error)),
  );

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe('a stored audit record', () => {
  const record = auditRecord({
    surface: 'admin',
    operation: 'key.create',
    actorKind: 'key',
    actor: 'abcdefghij',
    client: 'https://client.example/métadonnées',
    decision: 'deny',
    reason: 'role_insufficient',
    outcome: 'denied',
    failureCode: 'caller.role_forbidden',
  });
  let row: AuditRow;

  beforeAll(async () => {
    row = await recordAndRead(record);
  });

  it('says in its columns what its canonical bytes say', () => {
    const decoded = decodeCanonical(row.canon);
    const { actorCommitment, clientCommitment, ...said } = decoded;
    expect({ ...said, actor: row.actor, client: row.client }).toEqual({
      ...record,
      beforeHash: null,
      afterHash: null,
      occurredAt: '2026-11-30T06:00:00.123Z',
    });
    expect([actorCommitment, clientCommitment]).not.toContain(null);
    expect(row).toMatchObject({
      event_id: decoded.eventId,
      organization_id: decoded.organizationId,
      trace_id: decoded.traceId,
      surface: decoded.surface,
      operation: decoded.operation,
      profile: decoded.profile,
      actor_kind: decoded.actorKind,
      rooftop_ids: decoded.rooftopIds,
      resource_ids: decoded.resourceIds,
      decision: decoded.decision,
      reason: decoded.reason,
      policy_version: decoded.policyVersion,
      outcome: decoded.outcome,
      failure_code: decoded.failureCode,
      purpose: decoded.purpose,
    });
    expect(row.occurred_at.toISOString()).toBe(decoded.occurredAt);
  });

  it('has the leaf of its canonical bytes', () => {
    expect(row.leaf.equals(leafOf(row.canon))).toBe(true);
  });

  it('commits to actor and client under its nonce, and keeps neither in the canonical bytes', () => {
    const { actorCommitment, clientCommitment } = decodeCanonical(row.canon);
    expect(row.nonce).toHaveLength(16);
    expect(matchesCommitment(actorCommitment!, row.nonce, 'actor', row.actor!)).toBe(true);
    expect(matchesCommitment(clientCommitment!, row.nonce, 'client', row.client!)).toBe(true);
    expect(matchesCommitment(actorCommitment!, row.nonce, 'client', row.actor!)).toBe(false);
    expect(matchesCommitment(actorCommitment!, Buffer.alloc(16), 'actor', row.actor!)).toBe(false);
    expect(row.canon.toString()).not.toContain('abcdefghij');
    expect(row.canon.toString()).not.toContain('client.example');
  });

  it('holds no commitment of an anonymous caller', async () => {
    const stored = await recordAndRead(auditRecord());
    expect(decodeCanonical(stored.canon)).toMatchObject({ actorCommitment: null, clientCommitment: null });
    expect(stored).toMatchObject({ actor: null, client: null });
  });

  it('survives odd characters in codes, and replaces those that cannot be stored', async () => {
    const odd = { operation: 'tab\tline\nquote"back\\slash – é 🚗', resourceIds: ['a,b', '"', '{}', ''] };
    const stored = await recordAndRead(auditRecord({ ...odd, reason: 'nul\0lone\ud800' }));
    expect(stored).toMatchObject({
      operation: odd.operation,
      reason: 'nul\ufffdlone\ufffd',
      resource_ids: odd.resourceIds,
    });
    expect(stored.leaf.equals(leafOf(stored.canon))).toBe(true);
  });

  it.each(['tab\tactor', 'line\nactor', ''])('is refused for an actor that would break the line: %j', async (actor) => {
    const recorder = newRecorder();
    await expect(recorder.record(auditRecord({ actorKind: 'key', actor }))).rejects.toThrow('printable text');
    await recorder.close();
  });
});

describe('many records at once', () => {
  it('keeps 2,000 concurrent records exactly once, each under its own organization', async () => {
    const recorder = newRecorder();
    const operation = 'test.concurrent';
    const organizations = ['north-group', 'south-group', PLATFORM_TENANT, ...times(13, (i) => `group-${i}`)];
    const records = times(2000, (i) =>
      auditRecord({ operation, organizationId: organizations[i % organizations.length]! }),
    );
    await Promise.all(records.map((r) => recorder.record(r)));
    expect(await countOf(operation)).toEqual({ rows: 2000, events: 2000 });
    const { rows } = await admin.query<AuditRow>('SELECT * FROM audit_events WHERE operation = $1', [operation]);
    const stored = new Map(rows.map((r) => [r.event_id, r.organization_id]));
    expect(records.filter((r) => stored.get(r.eventId) !== r.organizationId)).toEqual([]);
    await recorder.close();
  });

  it('commits them in groups', async () => {
    const recorder = newRecorder();
    const operation = 'test.groups';
    await Promise.all(times(400, () => recorder.record(auditRecord({ operation }))));
    const { rows } = await admin.query<{ commits: number }>(
      'SELECT count(DISTINCT xid)::int AS commits FROM audit_events WHERE operation = $1',
      [operation],
    );
    expect(rows[0]!.commits).toBeLessThan(5);
    await recorder.close();
  });

  it('keeps the others when one record cannot be stored', async () => {
    const recorder = newRecorder();
    const operation = 'test.poison';
    const bad = auditRecord({ operation, decision: 'perhaps' as 'allow' });
    const good = times(50, () => auditRecord({ operation }));
    const [refused, ...kept] = await Promise.all([bad, ...good].map((r) => refusalOf(recorder.record(r))));
    expect(refused).toBe('internal.unexpected');
    expect(kept.filter((code) => code !== undefined)).toEqual([]);
    expect(await countOf(operation)).toEqual({ rows: 50, events: 50 });
    await recorder.close();
  });

  it('refuses records beyond its bound with limit.busy and keeps those it took', async () => {
    const recorder = newRecorder();
    const operation = 'test.bound';
    const codes = await Promise.all(times(20_010, () => refusalOf(recorder.record(auditRecord({ operation })))));
    expect(codes.filter((code) => code === 'limit.busy')).toHaveLength(10);
    expect(codes.filter((code) => code === undefined)).toHaveLength(20_000);
    expect(await countOf(operation)).toEqual({ rows: 20_000, events: 20_000 });
    await recorder.close();
  });

  it('commits what waits when it is closed, and refuses what comes after', async () => {
    const recorder = newRecorder();
    const operation = 'test.close';
    const open = Promise.all(times(700, () => recorder.record(auditRecord({ operation }))));
    await recorder.close();
    await open;
    expect(await countOf(operation)).toEqual({ rows: 700, events: 700 });
    expect(await refusalOf(recorder.record(auditRecord()))).toBe('upstream.unavailable');
  });
});

describe('an unreliable database', () => {
  it('loses nothing silently when connections are killed: each record failed to its caller or is in the table', async () => {
    const recorder = newRecorder('audit-killed');
    const operation = 'test.killed';
    const fates = new Map<string, string | undefined>();
    let running = true;
    const callers = times(32, async () => {
      while (running) {
        const record = auditRecord({ operation });
        fates.set(record.eventId, await refusalOf(recorder.record(record)));
      }
    });
    for (let i = 0; i < 20; i++) {
      await new Promise((done) => setTimeout(done, 20 + Math.random() * 30));
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'audit-killed'`,
      );
    }
    running = false;
    await Promise.all(callers);
    await recorder.close();
    const { rows } = await admin.query<AuditRow>('SELECT * FROM audit_events WHERE operation = $1', [operation]);
    const stored = new Set(rows.map((r) => r.event_id));
    expect(stored.size).toBe(rows.length);
    const lost = [...fates].filter(([eventId, refusal]) => refusal === undefined && !stored.has(eventId));
    expect(lost).toEqual([]);
    const refusals = new Set(fates.values());
    expect(refusals).toEqual(new Set([undefined, 'upstream.unavailable']));
  });

  it('does not write a record twice when the answer to its commit is lost', async () => {
    const pool = openAuditPool('audit-unanswered');
    const query = pool.query.bind(pool) as (statement: pg.QueryConfig) => Promise<pg.QueryResult>;
    pool.query = (async (statement: pg.QueryConfig) => {
      await query(statement);
      throw new Error('Connection terminated unexpectedly');
    }) as typeof pool.query;
    const recorder = new GroupCommitAuditRecorder(pool, new NoncePool());
    const operation = 'test.unanswered';
    const codes = await Promise.all(times(10, () => refusalOf(recorder.record(auditRecord({ operation })))));
    expect(new Set(codes)).toEqual(new Set(['upstream.unavailable']));
    expect(await countOf(operation)).toEqual({ rows: 10, events: 10 });
    await recorder.close();
  });

  it('tells every waiting caller within about two seconds when the server does not answer, and recovers', async () => {
    const recorder = newRecorder('audit-blocked');
    await recorder.record(auditRecord());
    const blocker = new pg.Client({ connectionString: database.adminUrl });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE forecourt.audit_events IN ACCESS EXCLUSIVE MODE');
    const started = Date.now();
    const codes = await Promise.all(
      times(3000, () => refusalOf(recorder.record(auditRecord({ operation: 'test.blocked' })))),
    );
    expect(Date.now() - started).toBeLessThan(withRoom(3000));
    expect(new Set(codes)).toEqual(new Set(['upstream.unavailable']));
    await blocker.query('ROLLBACK');
    await blocker.end();
    const after = auditRecord({ operation: 'test.recovered' });
    await recorder.record(after);
    await storedRow(after.eventId);
    await recorder.close();
  });

  it('fails at once when nothing listens', async () => {
    const nowhere = new URL(database.appUrl);
    nowhere.port = '1';
    const recorder = new GroupCommitAuditRecorder(openAuditPool('audit-away', nowhere.toString()), new NoncePool());
    const started = Date.now();
    const codes = await Promise.all(times(1500, () => refusalOf(recorder.record(auditRecord()))));
    expect(Date.now() - started).toBeLessThan(withRoom(2000));
    expect(new Set(codes)).toEqual(new Set(['upstream.unavailable']));
    await recorder.close();
  });

  it('creates the partition of a month that nobody prepared', async () => {
    const recorder = newRecorder();
    const partitions = await admin.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_events'::regclass`,
    );
    expect(partitions.rows).toHaveLength(4);
    await admin.query('ALTER EVENT TRIGGER audit_months_are_kept DISABLE');
    for (const { name } of partitions.rows) await admin.query(`DROP TABLE ${name}`);
    const records = times(20, () => auditRecord({ operation: 'test.partition' }));
    await Promise.all(records.map((r) => recorder.record(r)));
    expect(await countOf('test.partition')).toEqual({ rows: 20, events: 20 });
    await recorder.close();
  });
});

describe('a record in the transaction of a change', () => {
  const audit = new PrismaTransactionalAudit(new NoncePool());
  let unitOfWork: PrismaUnitOfWork;
  let pool: pg.Pool;

  beforeAll(() => {
    pool = openAuditPool('audit-tx');
    unitOfWork = new PrismaUnitOfWork(pool, 1000);
  });
  afterAll(async () => {
    await unitOfWork.close();
    if (!pool.ended) await pool.end();
  });

  it('is there when the change commits', async () => {
    const record = auditRecord({ actorKind: 'key', actor: 'abcdefghij' });
    await unitOfWork.withTenant('north-group', (tx) => audit.recordInTransaction(tx, record));
    const row = await storedRow(record.eventId);
    expect(row.leaf.equals(leafOf(row.canon))).toBe(true);
  });

  it('is gone when the change rolls back', async () => {
    const work = unitOfWork.withTenant('north-group', async (tx) => {
      await audit.recordInTransaction(tx, auditRecord({ operation: 'test.rolled_back' }));
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await countOf('test.rolled_back')).toEqual({ rows: 0, events: 0 });
  });

  it('must belong to the organization of the transaction', async () => {
    const work = unitOfWork.withTenant('south-group', (tx) => audit.recordInTransaction(tx, auditRecord()));
    await expect(work).rejects.toThrow('organization of its transaction');
  });
});
