import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresAuditSearch } from '../../src/modules/audit/infra/postgres-audit-search.js';
import { AuditLogWorld } from '../support/audit-log-world.js';

/** What searches of a large trail read: pages of the database, which do not depend on the machine. */
const ORGANIZATION = 'org.large';
const ROWS = 120_000;
/** A search of the whole trail would read tens of thousands. */
const PAGES = 1000;

// h is a fixed shuffle of the row's number; the rarest values come twice.
const FILL = (
  at: string,
  policy: string,
  numbers: string,
): string => `INSERT INTO audit_events (recorded_at, event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor,
    client, rooftop_ids, resource_ids, decision, reason, policy_version, outcome, failure_code, canon, nonce)
  SELECT ${at} n * interval '1 millisecond', 'req_' || n, '${ORGANIZATION}', now(), 'trc_' || n, CASE WHEN n % 60000 = 5 THEN 'command' ELSE 'mcp' END,
    CASE WHEN n % 60000 = 7 THEN 'rare' ELSE 'search' END, CASE WHEN n % 60000 = 9 THEN 'rare' ELSE 'core' END, 'agent',
    'agent.' || h % 400, 'client.' || h % 50, ARRAY['roof.' || h % 300], ARRAY['veh.' || h % 50000], CASE WHEN n % 60000 = 11 THEN 'deny' ELSE 'allow' END,
    NULL, CASE WHEN n % 60000 = 13 THEN 'rare' ELSE '${policy}' END, CASE WHEN n % 60000 = 11 THEN 'denied' ELSE 'succeeded' END, NULL,
    convert_to(repeat(md5(n::text), 8), 'UTF8'), NULL
  FROM (SELECT n, abs(hashint8(n)::bigint) AS h FROM generate_series(${numbers}) AS n) AS numbered`;

let world: AuditLogWorld;
beforeAll(async () => {
  world = await AuditLogWorld.open();
  await world.admin.query(FILL('now() -', 'common', `1, ${ROWS}`));
  // A month that is newer, with nothing rare, and with another policy.
  await world.admin.query(FILL(`date_trunc('month', now(), 'UTC') + interval '1 month' +`, 'next', '60100, 100000'));
  await world.admin.query('ANALYZE audit_events');
  await world.admin.query(
    `SELECT gin_clean_pending_list(c.oid) FROM pg_class c WHERE c.relkind = 'i' AND c.relname LIKE 'audit_events_%_rooftop_ids_resource_ids_idx'`,
  );
});
afterAll(() => world.close());

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows': number;
}

/** Looks twice: the first time reads the catalogue, too. */
async function look(filter: object): Promise<{ readonly pages: number; readonly found: number }> {
  await world.admin.query(`SELECT set_config('app.tenant', $1, false)`, [ORGANIZATION]);
  const text = 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM find_audit_events($1, NULL, NULL, 25)';
  await world.admin.query(text, [filter]);
  const explained = await world.admin.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(text, [filter]);
  const { Plan: plan } = explained.rows[0]!['QUERY PLAN'][0];
  return { pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], found: plan['Actual Rows'] };
}

describe('a page of a search', () => {
  it.each([
    [{}, 25],
    [{ traceId: 'trc_777' }, 1],
    [{ actor: 'agent.17' }, 25],
    [{ client: 'client.3' }, 25],
    [{ operation: 'search' }, 25],
    [{ operation: 'rare' }, 2],
    [{ operation: 'never' }, 0],
    [{ profile: 'rare' }, 2],
    [{ surface: 'command' }, 2],
    [{ surface: 'a2a' }, 0],
    [{ rooftopId: 'roof.17' }, 25],
    [{ rooftopId: 'roof.none' }, 0],
    [{ decision: 'deny' }, 2],
    [{ outcome: 'denied' }, 2],
    [{ outcome: 'failed' }, 0],
    [{ policyVersion: 'rare' }, 2],
    [{ policyVersion: 'common' }, 25], // and none of it in the newer month, which is not read for it
    [{ rooftopId: 'roof.17', outcome: 'denied' }, 0],
    [{ actor: 'agent.17', operation: 'rare' }, 0],
  ])('by %j finds its way by an index', async (filter, found) => {
    const seen = await look(filter);
    expect(seen.found).toBe(found);
    expect(seen.pages).toBeLessThan(PAGES);
  });

  it('by a resource and by a subject, too', async () => {
    for (const filter of [{ resourceId: 'veh.17' }, { subject: 'veh.17' }]) {
      const seen = await look(filter);
      expect(seen.found).toBeGreaterThan(0);
      expect(seen.pages).toBeLessThan(PAGES);
    }
  });

  it('would be found out: the whole trail is more pages', async () => {
    await world.admin.query('BEGIN; DROP INDEX audit_events_by_operation');
    expect((await look({ operation: 'never' })).pages).toBeGreaterThan(5 * PAGES);
    await world.admin.query('ROLLBACK');
  });
});

it('measures how far numbering is behind without reading the trail', async () => {
  await world.admin.query('UPDATE audit_horizon SET pos = pg_current_xact_id()');
  const explained = await world.admin.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
    'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT audit_lag_seconds()',
  );
  const { Plan: plan } = explained.rows[0]!['QUERY PLAN'][0];
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(PAGES);
});

it('adds up the newest records of a large trail, and reads no others', async () => {
  await world.admin.query(`SELECT set_config('app.tenant', $1, false)`, [ORGANIZATION]);
  const text = 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT sum_up_audit($1, NULL, NULL, 500, 10)';
  const pagesOf = async (filter: object): Promise<number> => {
    await world.admin.query(text, [filter]);
    const explained = await world.admin.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(text, [filter]);
    const { Plan: plan } = explained.rows[0]!['QUERY PLAN'][0];
    return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  };
  for (const filter of [{}, { client: 'client.3' }, { subject: 'agent.17' }])
    expect(await pagesOf(filter), JSON.stringify(filter)).toBeLessThan(5 * PAGES);
});

it('gives up a sum that takes too long, and says what to ask instead', async () => {
  const search = new PostgresAuditSearch(world.pool, 1);
  await expect(search.sumUp(ORGANIZATION, {}, { most: 10 })).rejects.toMatchObject({ code: 'input.invalid' });
  expect(
    await new PostgresAuditSearch(world.pool).sumUp(ORGANIZATION, { actor: 'agent.17' }, { most: 10 }),
  ).toMatchObject({
    callersTotal: 1,
  });
});
