import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/kernel/time.js';
import { ExplainRecord, type ExplainedRecord } from '../../src/modules/retention/app/explain-record.js';
import type { RuleDocument } from '../../src/modules/retention/domain/policy-document.js';
import { SqlRetainedRecords } from '../../src/modules/retention/infra/sql-retained-records.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ORGANIZATION, RetentionWorld, TENANT } from '../support/retention-world.js';

const RULE = {
  category: 'access_history',
  clock: 'closed',
  jurisdiction: '*',
  floor: null,
  ground: 'test',
  citation: 'test',
} as const;
const ANONYMISING: RuleDocument = {
  ...RULE,
  rule_id: 'names',
  ceiling: { count: 2, unit: 'years' },
  action: 'anonymise',
};
const DELETING: RuleDocument = { ...RULE, rule_id: 'end', ceiling: { count: 7, unit: 'years' }, action: 'delete' };

let database: TestDatabase;
let world: RetentionWorld;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await RetentionWorld.open(database);
  await world.policy(2, [ANONYMISING, DELETING]);
  // Of each kind one that ended three years ago, one that ended lately, one in force, and one that ended eight years ago.
  for (const [age, ended] of Object.entries({ old: '3 years', lately: '1 month', live: null, oldest: '8 years' }))
    await access(age, ended);
});
afterAll(async () => {
  await world.close();
  await database.drop();
});

/** A key, an agent client, a grant and a person that ended so long ago, each under the name Jane. */
async function access(age: string, ended: string | null): Promise<void> {
  const at = ended === null ? 'NULL' : `now() - interval '${ended}'`;
  const far = `now() + interval '1 year'`;
  await world.admin.query(`
    INSERT INTO api_keys (key_id, organization_id, name, role, secret_hash, created_at, revoked_at)
      VALUES ('key.${age}', '${ORGANIZATION}', 'Key of Jane', 'app', sha256('${age}'), now() - interval '10 years', ${at});
    INSERT INTO api_key_versions (organization_id, key_id, version, name, networks, author, created_at)
      VALUES ('${ORGANIZATION}', 'key.${age}', 1, 'Key of Jane', '{}', 'person.a', now() - interval '10 years');
    INSERT INTO agent_clients (organization_id, agent_client_id, version, issuer, client_id, name, created_at, revoked_at)
      VALUES ('${ORGANIZATION}', 'client.${age}', 1, 'https://issuer.test', 'jane-${age}', 'Client of Jane', now() - interval '10 years', ${at});
    INSERT INTO grants (organization_id, grant_id, version, subject, rooftop_ids, profiles, scopes, purposes, issuer, created_at, expires_at, revoked_at)
      VALUES ('${ORGANIZATION}', 'grant.${age}', 1, 'agent.of-jane', '{roof.a}', '{}', '{}', '{}', 'person.a', now() - interval '10 years', ${far}, ${at});
    INSERT INTO staff_persons (organization_id, person_id, name, role, created_at, updated_at, disabled_at)
      VALUES ('${ORGANIZATION}', 'staff.${age}', 'Jane', 'auditor', now() - interval '10 years', now(), ${at})`);
}

/** Ids of what still says Jane. */
async function named(): Promise<readonly string[]> {
  const { rows } = await world.admin.query<{ id: string }>(
    `SELECT key_id AS id FROM api_keys WHERE name LIKE '%Jane%' UNION ALL SELECT key_id || '@' || version FROM api_key_versions WHERE name LIKE '%Jane%'
     UNION ALL SELECT agent_client_id FROM agent_clients WHERE client_id LIKE 'jane%' OR name LIKE '%Jane%'
     UNION ALL SELECT grant_id FROM grants WHERE subject LIKE '%jane%' UNION ALL SELECT person_id FROM staff_persons WHERE name LIKE '%Jane%' ORDER BY 1`,
  );
  return rows.map(({ id }) => id);
}

const explained = (id: string): Promise<ExplainedRecord> => {
  const { unitOfWork, parts } = world;
  const [records, clock] = [new SqlRetainedRecords(), new SystemClock()];
  const explaining = new ExplainRecord({ unitOfWork, records, rules: parts.rules, erasures: undefined, clock });
  return explaining.run(ORGANIZATION, 'access_history', id);
};

const counted = (of: readonly { action: string; part: string; going: number; held: number; inUse: number }[]) =>
  Object.fromEntries(
    of
      .filter(({ action }) => action === 'anonymise')
      .map(({ part, going, held, inUse }) => [part, [going, held, inUse]]),
  );

describe('a run that anonymises', () => {
  it('is previewed with what it takes, what is held, and nothing of what it deletes', async () => {
    expect(await named()).toHaveLength(20);
    await world.hold('hold.one', { record_ids: ['grant.old@1'], categories: ['access_history'] });
    const { preview } = (await world.previewed({ categories: ['access_history'] })).previewed!;
    expect(counted(preview.parts)).toEqual({
      agent_clients: [1, 0, 0],
      api_key_versions: [1, 0, 0],
      api_keys: [1, 0, 0],
      grants: [0, 1, 0],
      group_delegations: [0, 0, 0],
      staff_persons: [1, 0, 0],
    });
    expect(await explained('grant.old@1')).toMatchObject({
      steps: [{ decision: { because: [{ kind: 'hold' }, { kind: 'ceiling' }] } }],
    });
    expect(await explained('key.old')).toMatchObject({ due: false, steps: [{ action: 'anonymise', due: true }] });
    expect(await explained('key.live')).toMatchObject({
      steps: [{ due: false, decision: { because: [{ kind: 'in_use' }, { kind: 'ceiling', at: null }] } }],
    });
  });

  it('puts marks in place of names, and leaves everything else, what is held and what is in force', async () => {
    const { runId } = await world.approved({ categories: ['access_history'], beyondBrake: 'test' });
    expect(await world.work(runId)).toBe('done');
    expect(world.errors).toEqual([]);
    const left = await named();
    expect(left.filter((id) => !/lately|live/.test(id))).toEqual(['grant.old']);
    expect(left.filter((id) => /lately|live/.test(id))).toHaveLength(10);
    const { rows } = await world.admin.query(
      `SELECT c.client_id, c.name, k.name AS key_name, k.role, p.name AS person, p.version FROM agent_clients c, api_keys k, staff_persons p
       WHERE c.agent_client_id = 'client.old' AND k.key_id = 'key.old' AND p.person_id = 'staff.old'`,
    );
    const client_id = expect.stringMatching(/^erased:[0-9a-f]{64}$/) as string;
    expect(rows).toEqual([
      { client_id, name: 'erased', key_name: 'erased', role: 'app', person: 'erased', version: 2 },
    ]);
    const record = await world.record(runId);
    expect(record).toMatchObject({ outcome: 'done', requery: { going: 0, held: 1 }, holds: { 'hold.one': 1 } });
    expect(record!['actions']).toMatchObject({ anonymise: 4 });
    expect(record!['methods']).toContainEqual(expect.stringMatching(/^names replaced/));
  });

  it('does it once', async () => {
    const { preview } = (await world.previewed({ categories: ['access_history'] })).previewed!;
    expect(counted(preview.parts)).toMatchObject({
      agent_clients: [0, 0, 0],
      api_keys: [0, 0, 0],
      grants: [0, 1, 0],
      staff_persons: [0, 0, 0],
    });
    expect((await explained('key.old')).steps).toMatchObject([
      { due: false, decision: { because: [{ kind: 'nothing_left' }, { kind: 'ceiling' }] } },
    ]);
  });

  it('is refused by the guard where somebody forgets to ask the holds', async () => {
    await world.admin.query(`BEGIN; ${TENANT}; SET LOCAL ROLE forecourt_retention`);
    const changing = world.admin.query(`UPDATE grants SET subject = 'erased:x' WHERE grant_id = 'grant.old'`);
    await expect(changing).rejects.toMatchObject({ code: '23001', constraint: 'legal_hold', detail: 'hold.one' });
    await world.admin.query('ROLLBACK');
  });
});

it('every table that an erasure changes in a category that is anonymised says what is left to be done to it', async () => {
  const { rows } = await world.admin.query(
    `SELECT g.table_name FROM governed_tables g JOIN subject_places p USING (table_name)
     WHERE g.category IN (SELECT category FROM governed_tables WHERE steps ? 'anonymise') AND p.erases NOT IN ('DELETE', 'REDACT', 'KEEP') AND NOT g.steps ? 'anonymise'`,
  );
  expect(rows).toEqual([]);
});
