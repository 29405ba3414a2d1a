import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import { newRequestId, newTraceId } from '../../src/kernel/ids.js';
import type { AuditRecord } from '../../src/kernel/ports/audit-recorder.js';
import { GroupCommitAuditRecorder } from '../../src/modules/audit/infra/group-commit-audit-recorder.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { AuditSpool } from '../../src/modules/audit/infra/spool/audit-spool.js';
import { DrainSpool } from '../../src/modules/audit/infra/spool/drain-spool.js';
import { SpoolFolder } from '../../src/modules/audit/infra/spool/spool-folder.js';
import { openPool } from '../../src/platform/database/connection.js';
import { DatabaseWatch } from '../../src/platform/database/database-watch.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { DatabaseGate } from '../support/database-gate.js';
import { withRoom } from '../support/with-room.js';

const ORGANIZATION = 'north-group';
const SILENT_MS = 500;

let database: TestDatabase;
let admin: pg.Client;
let dir: string;

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

/** A recorder with its spool before a database that can be taken away. */
class Desk {
  readonly gate = new DatabaseGate();
  readonly told: string[] = [];
  readonly damage: { readonly from: number; readonly to: number; readonly keptAs: string }[] = [];
  watch!: DatabaseWatch;
  pool!: pg.Pool;
  drain!: DrainSpool;
  spool!: AuditSpool;
  recorder!: GroupCommitAuditRecorder;

  async open(mostBytes = 1_000_000): Promise<this> {
    await this.gate.open(Number(new URL(database.appUrl).port));
    const url = this.gate.urlOf(database.appUrl);
    const log = { log: (line: string) => void this.told.push(line), warn: (line: string) => void this.told.push(line) };
    this.watch = new DatabaseWatch({ url, silentMs: SILENT_MS, log });
    const poolOf = (name: string): pg.Pool =>
      openPool({
        url,
        size: 2,
        waitMs: 1000,
        statementMs: 1800,
        name,
        socket: this.watch.sockets.next,
        onError: () => undefined,
      });
    this.pool = poolOf('spool-drain');
    this.drain = new DrainSpool(this.pool, (_, from, to, keptAs) => void this.damage.push({ from, to, keptAs }));
    this.spool = new AuditSpool(new SpoolFolder(dir), this.drain, this.watch, mostBytes, log);
    this.recorder = new GroupCommitAuditRecorder(poolOf('spool-recorder'), new NoncePool(), {
      presence: this.watch,
      spool: this.spool,
    });
    this.watch.start();
    return this;
  }

  async takeAway(how: 'refuse' | 'hang'): Promise<void> {
    if (how === 'hang') this.gate.hang();
    else await this.gate.refuse();
    await expect.poll(() => this.watch.away, { timeout: 10_000 }).toBe(true);
  }

  async bringBack(): Promise<void> {
    await this.gate.refuse();
    await this.gate.open(Number(new URL(database.appUrl).port));
    await expect.poll(() => this.watch.away, { timeout: 10_000 }).toBe(false);
  }

  async close(): Promise<void> {
    await this.recorder.close();
    await this.spool.close();
    await this.pool.end();
    this.watch.stop();
    await this.gate.refuse();
  }
}

let desk: Desk;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'forecourt-spool-'));
  desk = await new Desk().open();
});
afterEach(async () => {
  await desk.close();
  await rm(dir, { recursive: true, force: true });
});

const auditRecord = (operation: string): AuditRecord => ({
  eventId: newRequestId(),
  occurredAt: Date.parse('2026-10-31T23:59:59.900Z'),
  organizationId: ORGANIZATION,
  traceId: newTraceId(),
  surface: 'mcp',
  operation,
  profile: 'core',
  actorKind: 'anonymous',
  actor: null,
  client: null,
  rooftopIds: ['north.main'],
  resourceIds: ['veh.a'],
  decision: 'allow',
  reason: null,
  policyVersion: 'policy@3',
  outcome: 'succeeded',
  failureCode: null,
  purpose: null,
});
const records = (operation: string, count: number): AuditRecord[] =>
  Array.from({ length: count }, () => auditRecord(operation));
const keep = (all: readonly AuditRecord[]): Promise<unknown> =>
  Promise.all(all.map((record) => desk.recorder.record(record, 'spool')));
const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => Failure.from(error).code,
  );
const idsOf = (all: readonly AuditRecord[]): string[] => all.map((record) => record.eventId);
const stored = async (operation: string): Promise<string[]> =>
  (
    await admin.query<{ event_id: string }>(
      'SELECT event_id FROM audit_events WHERE operation = $1 ORDER BY xid, recorded_at, event_id',
      [operation],
    )
  ).rows.map((row) => row.event_id);
const spoolFile = async (): Promise<string> => {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.spool'));
  expect(names).toHaveLength(1);
  return join(dir, names[0]!);
};

describe('while the database is away', () => {
  it.each(['refuse', 'hang'] as const)(
    '(%s) records of published retail are kept, and follow in order',
    async (how) => {
      await desk.recorder.record(auditRecord(`warm.${how}`), 'spool');
      await desk.takeAway(how);
      const all = records(`kept.${how}`, 1200);
      for (let i = 0; i < all.length; i += 300) await keep(all.slice(i, i + 300));
      expect((await stat(await spoolFile())).mode & 0o777).toBe(0o600);
      await desk.bringBack();
      await desk.spool.drain();
      expect(await stored(`kept.${how}`)).toEqual(idsOf(all));
      const { rows } = await admin.query('SELECT DISTINCT occurred_at FROM audit_events WHERE operation = $1', [
        `kept.${how}`,
      ]);
      expect(rows).toEqual([{ occurred_at: new Date('2026-10-31T23:59:59.900Z') }]);
      expect(await readdir(dir)).toEqual([]);
      expect((await admin.query('SELECT * FROM audit_spools')).rows).toEqual([]);
    },
  );

  it('all other records are refused at once, and their calls before they begin', async () => {
    await desk.takeAway('hang');
    const started = Date.now();
    expect(await codeOf(desk.recorder.record(auditRecord('protected')))).toBe('upstream.unavailable');
    expect(() => {
      desk.recorder.assertRecordable();
    }).toThrow(Failure);
    expect(Date.now() - started).toBeLessThan(withRoom(500));
    expect(await readdir(dir)).toEqual([]);
  });

  it('what was under way fails within a second or so, and what waited behind it is kept', async () => {
    await desk.recorder.record(auditRecord('warm'), 'spool');
    desk.gate.hang();
    const started = Date.now();
    const sent = codeOf(desk.recorder.record(auditRecord('sent'), 'spool'));
    await new Promise((done) => setTimeout(done, 20));
    const waited = auditRecord('waited');
    const kept = codeOf(desk.recorder.record(waited, 'spool'));
    expect(await sent).toBe('upstream.unavailable');
    expect(await kept).toBeUndefined();
    expect(Date.now() - started).toBeLessThan(withRoom(1700)); // the recorder's own time limit is later
    await desk.bringBack();
    await desk.spool.drain();
    expect(await stored('waited')).toEqual([waited.eventId]);
  });

  it('a full spool refuses, and takes again once it was drained', async () => {
    await desk.close();
    desk = await new Desk().open(2000);
    await desk.takeAway('refuse');
    const all = records('bounded', 20);
    const codes = await Promise.all(all.map((record) => codeOf(desk.recorder.record(record, 'spool'))));
    const kept = all.filter((_, i) => codes[i] === undefined);
    expect(kept.length).toBeGreaterThan(0);
    expect(new Set(codes)).toEqual(new Set([undefined, 'upstream.unavailable']));
    expect((await stat(await spoolFile())).size).toBeLessThanOrEqual(2000);
    await desk.bringBack();
    await desk.spool.drain();
    expect(await stored('bounded')).toEqual(idsOf(kept));
    await desk.takeAway('refuse');
    await keep(records('bounded again', 1));
  });

  it('a disk that takes nothing refuses', async () => {
    await rm(dir, { recursive: true });
    await writeFile(dir, 'no folder');
    await desk.takeAway('refuse');
    expect(await codeOf(desk.recorder.record(auditRecord('no disk'), 'spool'))).toMatch(/^(upstream|internal)\./);
  });
});

describe('draining', () => {
  it('is done once by several that try at the same time, and goes on where an earlier one was cut off', async () => {
    await desk.takeAway('refuse');
    const all = records('once', 3000);
    await keep(all);
    await desk.spool.close();
    const path = await spoolFile();
    const { size } = await stat(path);
    await desk.bringBack();
    const spool = { spoolId: 'test.once', path };
    const cut = setInterval(() => {
      void admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'spool-drain' AND query LIKE '%append%'`,
      );
    }, 15);
    const tries = Promise.allSettled(Array.from({ length: 6 }, () => desk.drain.run(spool, size, true)));
    await tries;
    clearInterval(cut);
    await desk.drain.run(spool, size, true);
    const ids = await stored('once');
    expect(ids).toHaveLength(3000);
    expect(new Set(ids)).toEqual(new Set(idsOf(all)));
  });

  it('sets damaged and torn places aside, says where, and loses nothing beside them', async () => {
    await desk.takeAway('refuse');
    const all = records('damaged', 10);
    for (const record of all) await keep([record]);
    await desk.spool.close();
    const path = await spoolFile();
    const bytes = await readFile(path);
    const length = bytes.length / 10;
    bytes[Math.floor(length * 3.5)]! ^= 1;
    await writeFile(path, bytes.subarray(0, bytes.length - 5));
    await desk.bringBack();
    await desk.drain.run({ spoolId: 'test.damaged', path }, bytes.length - 5, true);
    expect(await stored('damaged')).toEqual(idsOf(all).filter((_, i) => i !== 3 && i !== 9));
    expect(desk.damage.map(({ from }) => from)).toEqual([length * 3, length * 9]);
    const aside = await readFile(desk.damage[0]!.keptAs);
    expect(aside).toEqual(bytes.subarray(length * 3, length * 4));
  });

  it('makes the month where nobody prepared it', async () => {
    await desk.takeAway('refuse');
    const all = records('month', 3);
    await keep(all);
    await desk.bringBack();
    const { rows } = await admin.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit_events'::regclass`,
    );
    await admin.query('ALTER EVENT TRIGGER audit_months_are_kept DISABLE');
    for (const { name } of rows) await admin.query(`DROP TABLE ${name}`);
    await desk.spool.drain();
    expect(await stored('month')).toEqual(idsOf(all));
  });

  it('takes over what a process left that is gone, and leaves alone what a living one has', async () => {
    await desk.takeAway('refuse');
    const all = records('orphan', 2);
    await keep(all);
    await desk.spool.close();
    const mine = await spoolFile();
    const content = await readFile(mine);
    await rm(mine);
    const [id, host] = mine.slice(dir.length + 1).split('.');
    await writeFile(join(dir, `${id}.${host}.999999.12.spool`), content);
    const elsewhere = `${id!.slice(0, -1)}0.another-host.1.1.spool`;
    await writeFile(join(dir, elsewhere), content);
    await desk.bringBack();
    await desk.spool.drain();
    expect(await stored('orphan')).toEqual(idsOf(all));
    expect(await readdir(dir)).toEqual([elsewhere]);
  });
});
