import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ReviewAccess } from '../../src/modules/auth/app/review-access.js';
import type { AccessFact } from '../../src/modules/auth/domain/access-fact.js';
import { reviewAt } from '../../src/modules/auth/domain/access-fact.js';
import { ClientAccessHistory } from '../../src/modules/auth/infra/client-access-history.js';
import { PrismaAccessHistory } from '../../src/modules/auth/infra/prisma-access-history.js';
import { StaffAccessHistory } from '../../src/modules/auth/infra/staff-access-history.js';
import { SqlStaffHistory } from '../../src/modules/staff/infra/sql-staff-history.js';
import { PrismaOrganizationStore } from '../../src/modules/tenancy/infra/prisma-organization-store.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const GROUP = 'org.history';
const MIGRATION = fileURLToPath(
  new URL('../../prisma/migrations/20261130000051_access_history/migration.sql', import.meta.url),
);
const day = (n: number): string => `2026-03-${String(n).padStart(2, '0')}T00:00:00Z`;

let database: TestDatabase;
let admin: pg.Client;
let pool: pg.Pool;
let unitOfWork: PrismaUnitOfWork;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  pool = openPool({ url: database.appUrl, size: 2, waitMs: 10_000, name: 'access-history', onError: () => undefined });
  unitOfWork = new PrismaUnitOfWork(pool, 10_000);
  await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ($1, 'History')`, [GROUP]);
});
beforeEach(async () => {
  for (const table of [
    'agent_client_versions',
    'agent_clients',
    'trusted_issuers',
    'staff_person_versions',
    'staff_persons',
  ])
    await admin.query(`DELETE FROM ${table}`);
});
afterAll(async () => {
  await pool.end();
  await admin.end();
  await database.drop();
});

const person = (id: string, role: string, at: string, version = 1): Promise<unknown> =>
  admin.query(
    `INSERT INTO staff_persons (organization_id, person_id, name, role, issuer, subject, version, created_at, updated_at)
     VALUES ($1, $2, 'Ada', $3, 'https://idp.test', $2, $4, $5, $6)`,
    [GROUP, id, role, version, at, version === 1 ? at : day(20)],
  );
const change = (set: string, at: string): Promise<unknown> =>
  admin.query(`UPDATE staff_persons SET ${set}, version = version + 1, updated_at = $1`, [at]);
const client = (id: string, version: number, grant: string | null, revokedAt: string | null = null): Promise<unknown> =>
  admin.query(
    `INSERT INTO agent_clients (organization_id, agent_client_id, version, issuer, client_id, name, grant_id, created_at, revoked_at)
     VALUES ($1, $2, $3, 'https://idp.test', $2, 'Agent', $4, $5, $6)`,
    [GROUP, id, version, grant, day(1), revokedAt],
  );

/** What the review of a day says, in short. */
async function reviewOf(at: string): Promise<readonly (string | null)[][]> {
  const time = Date.parse(at);
  const histories = [new StaffAccessHistory(new SqlStaffHistory()), new ClientAccessHistory(undefined)];
  const facts = await unitOfWork.withTenant(GROUP, async (tx) => {
    const found: AccessFact[] = [];
    for (const history of histories) found.push(...(await history.facts(tx, time)));
    return found;
  });
  return reviewAt(facts, time).map(({ id, role, restsOn, unknown }) => [id, role ?? restsOn, ...unknown]);
}

describe('the role of a person on a past day', () => {
  it('is the one of then, whoever changed it since', async () => {
    await person('staff.ada', 'admin', day(1));
    await change(`role = 'auditor'`, day(5));
    await change(`name = 'Ada Stone'`, day(6)); // no other role
    await change(`role = 'none'`, day(8)); // lost the groups
    await change(`role = 'compliance'`, day(10));
    const found = await Promise.all([1, 4, 5, 7, 8, 10].map((n) => reviewOf(day(n))));
    expect(found.map((entries) => entries.map(([, role]) => role))).toEqual([
      ['admin'],
      ['admin'],
      ['auditor'],
      ['auditor'],
      [],
      ['compliance'],
    ]);
  });

  it('is none from when they were disabled until they were enabled again, also where it was written down later', async () => {
    await person('staff.ada', 'admin', day(1));
    await change(`disabled_at = '${day(5)}'`, day(7));
    await change(`disabled_at = NULL`, day(9));
    const found = await Promise.all([4, 5, 6, 8, 9].map((n) => reviewOf(day(n))));
    expect(found.map((entries) => entries.length)).toEqual([1, 0, 0, 0, 1]);
  });
});

describe('what a client carried on a past day', () => {
  it('is the grant of then, from the moment that it was attached', async () => {
    await client('client.a', 1, null);
    const before = new Date(Date.now() - 1000).toISOString();
    await admin.query(`UPDATE agent_clients SET grant_id = 'grant.a', version = 2`);
    expect(await reviewOf(before)).toEqual([['client.a', null]]);
    expect(await reviewOf('2099-01-01T00:00:00Z')).toEqual([['client.a', 'grant.a']]);
    await admin.query(`UPDATE agent_clients SET grant_id = 'grant.b', version = 3`);
    expect(await reviewOf('2099-01-01T00:00:00Z')).toEqual([['client.a', 'grant.b']]);
  });

  it('is nothing while its issuer was not trusted, and the trust is in the review by itself', async () => {
    await client('client.a', 1, 'grant.a');
    await admin.query(
      `INSERT INTO trusted_issuers (organization_id, trusted_issuer_id, issuer, algorithms, requires_dpop, created_at, revoked_at)
       VALUES ($1, 'issuer.one', 'https://idp.test', '{ES256}', false, $2, $3), ($1, 'issuer.two', 'https://idp.test', '{ES256}', false, $4, NULL)`,
      [GROUP, day(3), day(6), day(9)],
    );
    const found = await Promise.all([2, 3, 6, 9].map((n) => reviewOf(day(n))));
    expect(found.map((entries) => entries.map(([id]) => id))).toEqual([
      [],
      ['client.a', 'issuer.one'],
      [],
      ['client.a', 'issuer.two'],
    ]);
  });
});

describe('a rooftop that went to another organization', () => {
  it('is reached by the grants that name it until that day, and no more', async () => {
    await admin.query(
      `INSERT INTO organization_states (organization_id, ordinal, state, author, created_at) VALUES ($1, 1, 'active', 'test', $2)`,
      [GROUP, day(1)],
    );
    for (const [id, movedAt] of [
      ['roof.sold', day(10)],
      ['roof.kept', null],
    ])
      await admin.query(
        `INSERT INTO rooftops (organization_id, rooftop_id, name, address, timezone, currency, departments, id_seed, moved_at, moved_to)
         VALUES ($1, $2, 'Roof', '{}', 'UTC', 'USD', '{sales}', decode(repeat('07', 16), 'hex'), $3, $4)`,
        [GROUP, id, movedAt, movedAt === null ? null : 'org.buyer'],
      );
    await admin.query(
      `INSERT INTO grants (organization_id, grant_id, version, subject, rooftop_ids, profiles, scopes, purposes, issuer, created_at, expires_at)
       VALUES ($1, 'grant.both', 1, 'agent:a', '{roof.kept,roof.sold}', '{}', '{}', '{}', 'staff.x', $2, '2099-01-01')`,
      [GROUP, day(1)],
    );
    const review = new ReviewAccess(unitOfWork, [new PrismaAccessHistory()], new PrismaOrganizationStore());
    const reached = async (n: number) => (await review.run(GROUP, Date.parse(day(n)))).entries.map((e) => e.rooftops);
    expect(await reached(9)).toEqual([['roof.kept', 'roof.sold']]);
    expect(await reached(10)).toEqual([['roof.kept']]);
  });
});

describe('what was there before its history was kept', () => {
  it('is known where nothing had changed, and unknown until the last change where something had', async () => {
    await person('staff.new', 'admin', day(1));
    await person('staff.old', 'admin', day(1), 3);
    await client('client.revoked', 2, 'grant.a', day(15)); // revoked, never changed
    await client('client.changed', 2, 'grant.b');
    await admin.query('DELETE FROM staff_person_versions; DELETE FROM agent_client_versions');
    const [fill = 'no backfill'] = /DO \$\$[\s\S]*?\n\$\$;/.exec(await readFile(MIGRATION, 'utf8')) ?? [];
    await admin.query(fill);
    expect(await reviewOf(day(10))).toEqual([
      ['client.changed', null, 'rests_on'],
      ['client.revoked', 'grant.a'],
      ['staff.new', 'admin'],
      ['staff.old', null, 'role'],
    ]);
    expect(await reviewOf(day(20))).toEqual([
      ['client.changed', null, 'rests_on'],
      ['staff.new', 'admin'],
      ['staff.old', 'admin'],
    ]);
  });

  it('can be changed by nobody who serves requests', async () => {
    await person('staff.ada', 'admin', day(1));
    for (const statement of [
      `UPDATE staff_person_versions SET role = 'auditor'`,
      'DELETE FROM staff_person_versions',
      `INSERT INTO agent_client_versions VALUES ('${GROUP}', 'client.a', 1, NULL, now())`,
    ])
      await expect(pool.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  });
});
