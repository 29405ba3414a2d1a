import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../src/platform/database/connection.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const TENANT = 'tenant-b';
// insufficient_privilege, generated_always (a leaf is computed, never given)
const REFUSALS = ['42501', '428C9'];

describe('the application role', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool({ url: database.appUrl, size: 1, waitMs: 2000, name: 'rights', onError: () => undefined });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const partition = `audit_events_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  const columnsOf =
    '(event_id, organization_id, occurred_at, trace_id, surface, operation, actor_kind, rooftop_ids, resource_ids, decision, outcome, canon';
  const values = `('e', '${TENANT}', now(), 't', 'ops', 'o', 'system', '{}', '{}', 'allow', 'succeeded', ''`;
  it.each([
    'UPDATE audit_events SET reason = null',
    'UPDATE audit_events SET actor = null, nonce = null',
    'DELETE FROM audit_events',
    'TRUNCATE audit_events',
    `SELECT FROM ${partition}`,
    `INSERT INTO ${partition} ${columnsOf}) VALUES ${values})`,
    `DELETE FROM ${partition}`,
    `TRUNCATE ${partition}`,
    `DROP TABLE ${partition}`,
    `ALTER TABLE audit_events DETACH PARTITION ${partition}`,
    `INSERT INTO audit_events ${columnsOf}) VALUES ${values})`,
    `INSERT INTO audit_events ${columnsOf}, recorded_at) VALUES ${values}, now())`,
    `INSERT INTO audit_events ${columnsOf}, xid) VALUES ${values}, '3')`,
    `INSERT INTO audit_events ${columnsOf}, leaf) VALUES ${values}, sha256(''))`,
    'CREATE TABLE forecourt.mine (id int)',
    'CREATE TABLE public.mine (id int)',
    'CREATE TABLE bullmq.mine (id int)',
    'CREATE SCHEMA mine',
    'CREATE FUNCTION forecourt.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'ALTER TABLE rooftops DISABLE ROW LEVEL SECURITY',
    'ALTER TABLE rooftops NO FORCE ROW LEVEL SECURITY',
    'DROP POLICY tenant_isolation ON rooftops',
    'CREATE POLICY mine ON rooftops USING (true)',
    'ALTER TABLE audit_events DISABLE TRIGGER ALL',
    'SET ROLE forecourt_owner',
    'SET ROLE forecourt_migrator',
    'SET ROLE forecourt_retention',
    'SET SESSION AUTHORIZATION forecourt_owner',
    'SET session_replication_role = replica',
    "SELECT isolate_tenant_table('rooftops')",
    'SELECT * FROM _prisma_migrations',
    'DELETE FROM organizations',
  ])('may not: %s', async (statement) => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.tenant', $1, true)`, [TENANT]);
    const code = await client.query(statement).then(
      () => 'it ran',
      (error: unknown) => (error as pg.DatabaseError).code,
    );
    await client.query('ROLLBACK');
    client.release();
    expect(REFUSALS).toContain(code);
  });

  it('may append to the trail by the one function that does: the refusals above are not for another reason', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    const canon = `["a2","e","2026-01-01T00:00:00.000Z","${TENANT}","t","ops","o",null,"system",null,null,[],[],"allow",null,null,"succeeded",null,null,null,null]`;
    const line = ['0'.repeat(32), '', '', canon].join('\t');
    const appended = await client.query('SELECT append_audit($1, $2) AS records', [TENANT, line]);
    expect(appended.rows).toEqual([{ records: 1 }]);
    for (const broken of [canon.replace('allow', 'maybe'), canon.replace('succeeded', 'unknown')]) {
      await client.query('SAVEPOINT before');
      const refused = client.query('SELECT append_audit($1, $2)', [TENANT, line.replace(canon, broken)]);
      await expect(refused).rejects.toMatchObject({ code: '23502' });
      await client.query('ROLLBACK TO before');
    }
    await client.query('ROLLBACK');
    client.release();
  });
});
