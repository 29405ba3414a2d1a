import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditLogWorld } from '../support/audit-log-world.js';

const ORGANIZATION = 'org.guarded';

let world: AuditLogWorld;
let partition: string;

beforeAll(async () => {
  world = await AuditLogWorld.open();
  await world.grow(ORGANIZATION, 300, 100);
  const { rows } = await world.admin.query<{ name: string }>(
    'SELECT tableoid::regclass::text AS name FROM audit_events LIMIT 1',
  );
  partition = rows[0]!.name;
});
afterAll(() => world.close());

/** SQLSTATE of the refusal of a statement in a transaction of the tenant; undefined where it ran. */
async function refusalOf(statement: string): Promise<string | undefined> {
  const client = await world.pool.connect();
  try {
    await client.query(`BEGIN; SELECT set_config('app.tenant', '${ORGANIZATION}', true)`);
    await client.query(statement);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the role of the application', () => {
  it('is refused everything but reading and appending, 9 of 9', async () => {
    const attempts = {
      update: `UPDATE audit_events SET outcome = 'failed'`,
      delete: `DELETE FROM audit_events`,
      truncate: `TRUNCATE audit_events`,
      drop: `DROP TABLE audit_events`,
      'disable trigger': `ALTER TABLE audit_events DISABLE TRIGGER USER`,
      'disable row-level security': `ALTER TABLE audit_events DISABLE ROW LEVEL SECURITY`,
      'replica mode': `SET session_replication_role = replica`,
      'insert for another organization': `INSERT INTO audit_events (event_id, organization_id, occurred_at, trace_id, surface, operation, actor_kind,
        rooftop_ids, resource_ids, decision, outcome, canon) VALUES ('e', 'org.other', now(), 't', 'mcp', 'o', 'agent', '{}', '{}', 'allow', 'succeeded', 'x')`,
      'change of a partition': `ALTER TABLE ${partition} ADD COLUMN more text`,
    };
    const refusals: Record<string, string | undefined> = {};
    for (const [name, statement] of Object.entries(attempts)) refusals[name] = await refusalOf(statement);
    expect(refusals).toEqual(Object.fromEntries(Object.keys(attempts).map((name) => [name, '42501'])));
  });

  it('is refused every other way to a partition and to the log, and becoming somebody else', async () => {
    for (const statement of [
      `SELECT FROM ${partition}`,
      `INSERT INTO ${partition} DEFAULT VALUES`,
      `DELETE FROM ${partition}`,
      `TRUNCATE ${partition}`,
      `DROP TABLE ${partition}`,
      `ALTER TABLE audit_events DETACH PARTITION ${partition}`,
      `UPDATE audit_logs SET size = 1`,
      `UPDATE audit_horizon SET pos = '0'`,
      `DELETE FROM audit_tiles`,
      `INSERT INTO audit_entries VALUES ('${ORGANIZATION}', 9999, now(), 'e', sha256('x'))`,
      `INSERT INTO audit_events (recorded_at) VALUES (now())`,
      `SET ROLE forecourt_owner`,
      `SET ROLE forecourt_retention`,
      `SET ROLE forecourt_sequencer`,
    ])
      expect(await refusalOf(statement), statement).toBe('42501');
  });
});

describe('somebody with every right who switches the guards off', () => {
  it('is seen in 3 of 3 ways, truncating a partition among them', async () => {
    const { admin } = world;
    const results: string[] = [];
    for (const statement of [
      `UPDATE audit_events SET outcome = 'failed' WHERE event_id = (SELECT event_id FROM audit_entries WHERE organization_id = '${ORGANIZATION}' AND seq = 150)`,
      `DELETE FROM audit_events WHERE event_id = (SELECT event_id FROM audit_entries WHERE organization_id = '${ORGANIZATION}' AND seq = 10)`,
      `TRUNCATE ${partition}`,
    ]) {
      await admin.query('ALTER TABLE audit_events DISABLE TRIGGER USER');
      await admin.query(`ALTER TABLE ${partition} DISABLE TRIGGER audit_month_is_kept`);
      await admin.query(statement);
      for (const guard of ['final', 'kept'])
        await admin.query(`ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_are_${guard}`);
      results.push((await world.verify(ORGANIZATION)).result);
    }
    expect(results).toEqual(['tampered', 'tampered', 'tampered']);
  });
});

describe('months', () => {
  it('follow each other without a gap, whatever the time zone of the session, with leap days', async () => {
    const { admin } = world;
    await admin.query(`SET timezone = 'America/New_York'`);
    await admin.query('SELECT ensure_audit_partitions(24)');
    await admin.query(`SET timezone = 'UTC'`);
    const { rows } = await admin.query<{ name: string; bound: string }>(
      `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'audit_events'::regclass ORDER BY 1`,
    );
    const bounds = rows.map(({ name, bound }) => [name, ...[...bound.matchAll(/'([^']+)'/g)].map(([, at]) => at)]);
    expect(bounds.length).toBe(25);
    bounds.forEach(([name, from], i) => {
      expect(from).toBe(`${name!.slice(-7).replace('_', '-')}-01 00:00:00+00`);
      if (i > 0) expect(bounds[i - 1]![2]).toBe(from);
    });
    for (const [at, month] of [
      ['2028-02-29 23:59:59.999999+00', '2028_02'],
      ['2028-03-01 00:00:00+00', '2028_03'],
      ['2026-12-31 23:59:59.999999+00', '2026_12'],
      ['2027-01-01 00:00:00+00', '2027_01'],
    ]) {
      const inserted = await admin.query<{ month: string }>(
        `INSERT INTO audit_events (recorded_at, event_id, organization_id, occurred_at, trace_id, surface, operation, actor_kind, rooftop_ids, resource_ids,
           decision, outcome, canon) VALUES ($1::timestamptz, $1::text, 'org.months', now(), 't', 'mcp', 'o', 'agent', '{}', '{}', 'allow', 'succeeded', 'x')
         RETURNING tableoid::regclass::text AS month`,
        [at],
      );
      expect(inserted.rows[0]!.month).toBe(`audit_events_${month!}`);
    }
  });

  it('that nobody made ahead are made by the first write', async () => {
    const { admin, pool } = world;
    await admin.query('ALTER EVENT TRIGGER audit_months_are_kept DISABLE');
    await admin.query(`ALTER TABLE audit_events DETACH PARTITION ${partition}; DROP TABLE ${partition}`);
    await world.append(pool, 'org.month', 3);
    const { rows } = await admin.query(
      `SELECT DISTINCT tableoid::regclass::text AS name FROM audit_events WHERE organization_id = 'org.month'`,
    );
    expect(rows).toEqual([{ name: partition }]);
    const guards = await admin.query(
      `SELECT tgname, tgenabled FROM pg_trigger WHERE tgrelid = $1::regclass AND tgname = 'audit_events_are_final'`,
      [partition],
    );
    expect(guards.rows).toEqual([{ tgname: 'audit_events_are_final', tgenabled: 'A' }]);
  });
});
