import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { everyInterleaving, type Interleaving, type Step } from '../support/interleavings.js';
import { ORGANIZATION, RetentionWorld, TENANT, THIRTY_DAYS } from '../support/retention-world.js';

let database: TestDatabase;
let world: RetentionWorld;
let a: pg.Client;
let b: pg.Client;
let version = 1;
let runId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await RetentionWorld.open(database);
  [a, b] = [await connect(), await connect()];
});
afterAll(async () => {
  await a.end();
  await b.end();
  await world.close();
  await database.drop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
  await client.connect();
  return client;
}

/** A run that is under way, with one record to take. */
async function aRun(): Promise<void> {
  await world.reset();
  await world.lead('old', 40);
  await world.admin.query(`DROP TABLE IF EXISTS loose; CREATE TABLE loose AS SELECT * FROM leads`);
  runId = await world.underWay();
}

const batch: readonly Step[] = [
  `BEGIN; ${TENANT}`,
  () => a.query(`SELECT * FROM dispose_batch($1, 1, 'lead', 10)`, [runId]),
  'COMMIT',
];
/** Looks first and then deletes, from a table that nothing guards, and takes no lock. */
const naive: readonly Step[] = [
  `BEGIN; ${TENANT}`,
  `CREATE TEMP TABLE verdict ON COMMIT DROP AS SELECT count(*) = 0 AS free FROM legal_holds`,
  'DELETE FROM loose WHERE (SELECT free FROM verdict)',
  'COMMIT',
];
/** The same about the policy that the run was approved under. */
const stale: readonly Step[] = [
  `BEGIN; ${TENANT}`,
  () =>
    a.query(
      `CREATE TEMP TABLE verdict ON COMMIT DROP AS
       SELECT policy_version = (SELECT max(version) FROM retention_policy_versions) AS free FROM retention_runs WHERE run_id = '${runId}'`,
    ),
  'DELETE FROM loose WHERE (SELECT free FROM verdict)',
  'COMMIT',
];

const activation: readonly Step[] = [
  `BEGIN; ${TENANT}`,
  async () => {
    const rule = JSON.stringify({ rules: [THIRTY_DAYS], rooftops: [] });
    await b.query(
      `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
       VALUES ($1, $2, 'records', 'Records', $3, repeat('b', 64), 'draft', 'a', 'test', 'apr', '{a,b}', now())`,
      [ORGANIZATION, ++version, rule],
    );
  },
  'COMMIT',
];
const holding: readonly Step[] = [
  `BEGIN; ${TENANT}`,
  `SELECT lock_out_deletions('${ORGANIZATION}')`,
  `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, covered, root, counted_at)
   VALUES ('${ORGANIZATION}', 'hold.a', 'Smith v. Group', 'claim', 'person.a', 0, sha256(''), now())`,
  'COMMIT',
];

interface Seen extends Pick<Interleaving, 'order' | 'ended'> {
  readonly gone: boolean;
}

/** What every order of the steps came to. */
async function all(deleting: readonly Step[], other: readonly Step[], table = 'leads'): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const pair = { a: { client: a, steps: deleting }, b: { client: b, steps: other } };
  for await (const { order, ended } of everyInterleaving(world.admin, pair, aRun)) {
    const { rowCount } = await world.admin.query(`SELECT FROM ${table}`);
    seen.push({ order, ended, gone: rowCount === 0 });
  }
  return seen;
}

/** Orders in which the other one had answered first, and the record went all the same. */
const broken = (seen: readonly Seen[]): readonly string[] =>
  seen.filter(({ gone, ended }) => gone && ended[0] === 'b').map(({ order }) => order);

it.each([
  { what: 'activation of a policy', other: activation },
  { what: 'hold', other: holding },
])('no batch goes against a $what that had answered, in any order of their steps', async ({ other }) => {
  const seen = await all(batch, other);
  expect(broken(seen)).toEqual([]);
  // Both ends are seen, or the test would be blind.
  expect(seen.some(({ gone }) => gone)).toBe(true);
  expect(seen.some(({ gone, ended }) => !gone && ended[0] === 'b')).toBe(true);
});

it('sees what a deletion without the lock loses', async () => {
  expect(broken(await all(naive, holding, 'loose')).length).toBeGreaterThan(0);
  expect(broken(await all(stale, activation, 'loose')).length).toBeGreaterThan(0);
});
