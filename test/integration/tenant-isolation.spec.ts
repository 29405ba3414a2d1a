import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_TENANT } from '../../src/kernel/ids.js';
import { auditLine } from '../../src/modules/audit/domain/canonical-record.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork, prismaOf } from '../../src/platform/database/prisma-unit-of-work.js';
import { DEFINER_FUNCTIONS } from '../support/definer-functions.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Column, insertStatement, readColumns } from '../support/tenant-rows.js';

const A = 'tenant-a';
const B = 'tenant-b';

/** Tables that belong to no tenant. Adding one is a decision. */
const TENANTLESS = [
  '_prisma_migrations',
  'audit_horizon',
  'audit_spools',
  'dpop_proofs',
  'governed_tables',
  'restore_journal_entries',
  'restore_journal_segments',
  'subject_places',
];
/** Tables that a function of the owner may read before the tenant is known (decision record 0005). */
const OWNER_LOOKUP = [
  'access_versions',
  'api_keys',
  'audit_exports',
  'audit_targets',
  'feed_runs',
  'feeds',
  'file_removals',
  'hold_notice_deliveries',
  'hold_notice_targets',
  'hold_notices',
  'organizations',
  'privacy_requests',
  'retention_runs',
  'retention_standing_approvals',
  'restore_journal_owed',
  'revocations',
  'rooftop_transfers',
  'staff_persons',
];
/** Tables that the sequencer numbers across organizations, and what it may do (decision record 0030). */
const SEQUENCED: Readonly<Record<string, 'SELECT' | 'ALL'>> = {
  audit_checkpoints: 'SELECT',
  audit_entries: 'ALL',
  audit_events: 'SELECT',
  audit_logs: 'ALL',
  audit_stream_replays: 'SELECT',
  audit_streams: 'SELECT',
  hold_vault: 'SELECT',
};
/** Tables that the guard and the runs of retention read across organizations (decision record 0043). */
const GUARDED = ['audit_entries', 'audit_events', 'audit_prunings', 'hold_vault', 'legal_holds', 'retention_runs'];
/** Rows that the sweep may delete in every organization: replies older than the day they are kept (decision record 0035). */
const SWEPT: Readonly<Record<string, string>> = {
  idempotency_keys: "(created_at < (now() - '24:00:00'::interval))",
};
/** Tables whose rows nobody changes or deletes. */
const FINAL = [
  'audit_checkpoints',
  'audit_cosignatures',
  'audit_entries',
  'audit_events',
  'audit_prunings',
  'audit_redacted_records',
  'audit_redactions',
  'audit_tiles',
  'deletion_records',
  'hold_vault',
  'legal_hold_pages',
  'retention_batches',
  'retention_halts',
  'retention_policy_versions',
];

let database: TestDatabase;
let admin: pg.Client;
let app: pg.Pool;
let tables: string[];
let columns: Column[];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query('SET search_path = forecourt');
  app = openPool({ url: database.appUrl, size: 1, waitMs: 2000, name: 'isolation', onError: () => undefined });
  columns = await readColumns(admin);
  tables = [...new Set(columns.filter((c) => c.column_name === 'organization_id').map((c) => c.table_name))].toSorted();
  // A redaction and a deletion record need their audit record in the same transaction, which a row by itself cannot have.
  await admin.query('ALTER TABLE audit_redactions DISABLE TRIGGER audit_redactions_are_recorded');
  await admin.query('ALTER TABLE deletion_records DISABLE TRIGGER deletion_records_are_audited');
  for (const tenant of [A, B]) await fillEveryTable(tenant);
});

afterAll(async () => {
  await app.end();
  await admin.end();
  await database.drop();
});

/** Inserts as the superuser, in whatever order the foreign keys allow. */
async function fillEveryTable(tenant: string): Promise<void> {
  let left = tables;
  while (left.length > 0) {
    const failed: string[] = [];
    let reason: unknown;
    for (const table of left) {
      await admin.query(insertStatement(columns, table, tenant)).catch((error: unknown) => {
        failed.push(table);
        reason = error;
      });
    }
    if (failed.length === left.length)
      throw new Error(`add what the row builder needs for ${failed.join(', ')} to test/support/tenant-rows.ts`, {
        cause: reason,
      });
    left = failed;
  }
}

interface Attempt {
  /** SQLSTATE of the refusal, undefined when the statement ran. */
  readonly refused?: string | undefined;
  readonly message?: string;
  readonly rows: number;
}

/** Runs one statement as the application under a tenant, and rolls it back. */
async function attempt(tenant: string | undefined, statement: string | pg.QueryConfig): Promise<Attempt> {
  const client = await app.connect();
  try {
    await client.query('BEGIN');
    if (tenant !== undefined) await client.query(`SELECT set_config('app.tenant', $1, true)`, [tenant]);
    const result = await client.query(statement);
    return { rows: result.rowCount ?? 0 };
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    return { refused: code, message, rows: 0 };
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const idsOf = async (client: pg.Pool | pg.Client, table: string): Promise<string[]> =>
  (await client.query<{ organization_id: string }>(`SELECT organization_id FROM forecourt.${table}`)).rows
    .map((r) => r.organization_id)
    .filter((id) => id !== PLATFORM_TENANT); // where the platform has rows of its own, they are there from the start

describe('the catalogue', () => {
  it('has tenant tables, and no other table that is not listed', async () => {
    expect(tables.length).toBeGreaterThan(10);
    const others = [...new Set(columns.map((c) => c.table_name))].filter((t) => !tables.includes(t));
    expect(others).toEqual(TENANTLESS);
    const views = await admin.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'forecourt'::regnamespace AND relkind IN ('v', 'm', 'f')`,
    );
    expect(views.rows).toEqual([]);
  });

  it('forces row-level security on every tenant table and partition, owned by a role that cannot log in', async () => {
    const { rows } = await admin.query(
      `
      SELECT c.relname, relrowsecurity, relforcerowsecurity, r.rolname, r.rolcanlogin, r.rolsuper, r.rolbypassrls
      FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
      WHERE c.relnamespace = 'forecourt'::regnamespace AND relkind IN ('r', 'p') AND c.relname <> ALL ($1)`,
      [TENANTLESS],
    );
    expect(rows.length).toBeGreaterThanOrEqual(tables.length + 4);
    const wrong = rows.filter(
      (r) =>
        !r.relrowsecurity ||
        !r.relforcerowsecurity ||
        r.rolname !== 'forecourt_owner' ||
        r.rolcanlogin ||
        r.rolsuper ||
        r.rolbypassrls,
    );
    expect(wrong).toEqual([]);
  });

  it('has exactly the template policy on each of them, and the listed look-ups of the owner', async () => {
    const { rows } = await admin.query(
      `
      SELECT c.relname AS table, p.policyname AS policy, p.permissive, p.cmd, p.roles::text, p.qual, p.with_check
      FROM pg_class c LEFT JOIN pg_policies p ON p.schemaname = 'forecourt' AND p.tablename = c.relname
      WHERE c.relnamespace = 'forecourt'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL ($1) ORDER BY 1, 2`,
      [TENANTLESS],
    );
    const rule = '(organization_id = current_tenant())';
    const template = {
      policy: 'tenant_isolation',
      permissive: 'PERMISSIVE',
      cmd: 'ALL',
      roles: '{public}',
      qual: rule,
      with_check: rule,
    };
    const lookup = {
      policy: 'owner_lookup',
      permissive: 'PERMISSIVE',
      cmd: 'SELECT',
      roles: '{forecourt_owner}',
      qual: 'true',
      with_check: null,
    };
    const sequencingOf = (cmd: 'SELECT' | 'ALL'): Record<string, unknown> => ({
      policy: 'sequencing',
      permissive: 'PERMISSIVE',
      cmd,
      roles: '{forecourt_sequencer}',
      qual: 'true',
      with_check: cmd === 'ALL' ? 'true' : null,
    });
    const guarding = { ...lookup, policy: 'guarding', roles: '{forecourt_retention}' };
    const sweepingOf = (qual: string): Record<string, unknown> => ({
      policy: 'sweeping',
      permissive: 'PERMISSIVE',
      cmd: 'ALL',
      roles: '{forecourt_retention}',
      qual,
      with_check: null,
    });
    const names = [...new Set(rows.map((r) => r.table as string))];
    expect(rows).toEqual(
      names.flatMap((table) => [
        ...(GUARDED.includes(table) ? [{ table, ...guarding }] : []),
        ...(OWNER_LOOKUP.includes(table) ? [{ table, ...lookup }] : []),
        ...(table in SEQUENCED ? [{ table, ...sequencingOf(SEQUENCED[table] ?? 'ALL') }] : []),
        ...(table in SWEPT ? [{ table, ...sweepingOf(SWEPT[table] ?? '') }] : []),
        { table, ...template },
      ]),
    );
  });

  it('lets only the listed functions run with the rights of the owner, each with a fixed search path, none for everyone', async () => {
    const { rows } = await admin.query(`
      SELECT proname AS name, prosecdef AS definer, proconfig::text AS config, has_function_privilege('public', oid, 'EXECUTE') AS everyone
      FROM pg_proc WHERE pronamespace = 'forecourt'::regnamespace ORDER BY 1`);
    expect(rows.filter((r) => r.definer).map((r) => r.name as string)).toEqual(DEFINER_FUNCTIONS);
    expect(rows.filter((r) => r.definer && !String(r.config).includes('search_path=forecourt, pg_temp'))).toEqual([]);
    expect(rows.filter((r) => r.everyone)).toEqual([]);
  });

  it('refers from tenant table to tenant table only within a tenant', async () => {
    const { rows } = await admin.query(`
      SELECT conname FROM pg_constraint k WHERE contype = 'f' AND connamespace = 'forecourt'::regnamespace
      AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attname = 'organization_id')
      AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey) AND a.attname = 'organization_id')`);
    expect(rows).toEqual([]);
  });
});

describe.each([
  { rights: 'with its own rights', everyRight: false },
  { rights: 'even if it had every right on every table', everyRight: true },
])('the application $rights, under tenant B', ({ everyRight }) => {
  beforeAll(async () => {
    if (!everyRight) return;
    await admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA forecourt TO forecourt_app`);
    // What keeps final rows from everybody is switched off, so that row-level security is seen alone.
    for (const table of FINAL) await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  });

  const notReached = (result: Attempt): boolean =>
    result.refused === undefined ? result.rows === 0 : result.refused === '42501' && !everyRight;

  it('reads rows of B and none of A in any table, and nothing without a tenant', async () => {
    const unitOfWork = new PrismaUnitOfWork(app, 2000);
    for (const table of tables) {
      const seen = await unitOfWork.withTenant(B, (tx) =>
        prismaOf(tx).$queryRawUnsafe<{ organization_id: string }[]>(`SELECT organization_id FROM ${table}`),
      );
      expect(new Set(seen.map((r) => r.organization_id)), table).toEqual(new Set([B]));
      expect(await attempt(undefined, `SELECT FROM ${table}`), table).toEqual({ rows: 0 });
      expect(await attempt('', `SELECT FROM ${table}`), table).toEqual({ rows: 0 });
    }
  });

  it('changes and deletes nothing of A in any table', async () => {
    for (const table of tables) {
      const update = `UPDATE ${table} SET organization_id = organization_id`;
      expect(notReached(await attempt(B, `${update} WHERE organization_id = '${A}'`)), `update ${table}`).toBe(true);
      expect(
        notReached(await attempt(B, `DELETE FROM ${table} WHERE organization_id = '${A}'`)),
        `delete ${table}`,
      ).toBe(true);
      expect(notReached(await attempt(undefined, update)), `update ${table} without a tenant`).toBe(true);
      if (everyRight)
        expect(
          (await attempt(B, update)).rows,
          `${table}: its own rows can be changed, so the test can see`,
        ).toBeGreaterThan(0);
    }
  });

  it('inserts no row of A and moves none of its own to A, in any table', async () => {
    for (const table of tables) {
      for (const tenant of [B, undefined]) {
        const insert = await attempt(tenant, insertStatement(columns, table, A));
        expect(insert.refused, `insert ${table}`).toBe('42501');
        if (everyRight) expect(insert.message).toContain('row-level security');
      }
      expect((await attempt(B, `UPDATE ${table} SET organization_id = '${A}'`)).refused, `move ${table}`).toBe('42501');
    }
  });

  it('leaves the rows of A as they were', async () => {
    for (const table of tables) expect((await idsOf(admin, table)).toSorted(), table).toEqual([A, B]);
  });
});

describe('one shared connection', () => {
  it('carries no tenant from one unit of work into anything that follows, also after a rollback', async () => {
    const unitOfWork = new PrismaUnitOfWork(app, 2000);
    for (let i = 0; i < 30; i++) {
      const tenant = i % 2 === 0 ? A : B;
      const seen = unitOfWork.withTenant(tenant, async (tx) => {
        const rows = await prismaOf(tx).rooftop.findMany();
        if (i % 3 === 0) throw new Error('roll back');
        return rows.map((r) => r.organizationId);
      });
      if (i % 3 === 0) await expect(seen).rejects.toThrow('roll back');
      else expect(await seen).toEqual([tenant]);
      expect(await idsOf(app, 'rooftops')).toEqual([]);
    }
    expect(app.totalCount).toBe(1);
  });

  it('would leak with a tenant set for the session: what the tests above look for can be seen', async () => {
    await app.query(`SELECT set_config('app.tenant', $1, false)`, [A]);
    expect(await idsOf(app, 'rooftops')).toEqual([A]);
    await app.query('RESET ALL');
    await app.query(`SELECT set_config('app.tenant', '', false)`);
    expect(await idsOf(app, 'rooftops')).toEqual([]);
  });
});

describe('the audit trail', () => {
  const line = (organizationId: string): string =>
    auditLine(
      {
        eventId: randomUUID(),
        occurredAt: 0,
        organizationId,
        traceId: 't',
        surface: 'ops',
        operation: 'o',
        profile: null,
        actorKind: 'anonymous',
        actor: null,
        client: null,
        rooftopIds: [],
        resourceIds: [],
        decision: 'allow',
        reason: null,
        policyVersion: null,
        outcome: 'succeeded',
        failureCode: null,
        purpose: null,
      },
      'ab'.repeat(16),
    );

  it('takes no record whose canonical bytes name another tenant', async () => {
    const forged = await attempt(B, { text: 'SELECT append_audit($1, $2)', values: [B, line(A)] });
    expect(forged).toMatchObject({ refused: '42501', message: expect.stringContaining('row-level security') });
  });

  it('gives the tenant of the surrounding transaction back', async () => {
    const client = await app.connect();
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.tenant', $1, true)`, [B]);
    await client.query('SELECT append_audit($1, $2)', [A, line(A)]);
    expect((await client.query('SELECT current_tenant() AS tenant')).rows).toEqual([{ tenant: B }]);
    await client.query('ROLLBACK');
    client.release();
  });
});
