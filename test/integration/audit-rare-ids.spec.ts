import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresAuditSearch } from '../../src/modules/audit/infra/postgres-audit-search.js';
import { AuditLogWorld } from '../support/audit-log-world.js';

/** Pages of what few of many records name, where the statistics of the database know nothing of it: what is read, and what is found. */
const ORGANIZATION = 'org.few-rooftops';
const ROWS = 60_000;
/** A walk back through time reads thousands. */
const PAGES = 1000;

const FILL = (
  rooftop: string,
  numbers: string,
  at = 'now() -',
): string => `INSERT INTO audit_events (recorded_at, event_id, organization_id,
    occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client, rooftop_ids, resource_ids, decision, reason, policy_version, outcome,
    failure_code, canon, nonce)
  SELECT ${at} n * interval '1 millisecond', 'req_' || lpad(n::text, 8, '0'), '${ORGANIZATION}', now(), 'trc_' || n, 'mcp', 'search', 'core', 'agent',
    'agent.' || n % 7, NULL, ARRAY[${rooftop}], ARRAY['veh.' || n % 90], 'allow', NULL, 'p1', CASE WHEN n % 3 = 0 THEN 'denied' ELSE 'succeeded' END, NULL,
    convert_to(repeat(md5(n::text), 8), 'UTF8'), NULL
  FROM generate_series(${numbers}) AS n`;

let world: AuditLogWorld;
beforeAll(async () => {
  world = await AuditLogWorld.open();
  const { admin } = world;
  // Two rooftops all the time, and a third that was closed when half of it was over.
  await admin.query(
    FILL(`CASE WHEN n > 30000 AND n % 3 > 0 THEN 'roof.closed' ELSE 'roof.' || n % 2 END`, `1, ${ROWS}`),
  );
  await admin.query('ANALYZE audit_events');
  // In no statistics, and older than all else; and once in a month that is newer.
  await admin.query(FILL(`'roof.new'`, `${ROWS + 1}, ${ROWS + 2}`));
  await admin.query(FILL(`'roof.new'`, '90001, 90001', `date_trunc('month', now(), 'UTC') + interval '1 month' +`));
  await admin.query(
    `SELECT gin_clean_pending_list(c.oid) FROM pg_class c WHERE c.relkind = 'i' AND c.relname LIKE 'audit_events_%_rooftop_ids_resource_ids_idx'`,
  );
  await admin.query(`SELECT set_config('app.tenant', $1, false)`, [ORGANIZATION]);
});
afterAll(() => world.close());

interface Plan {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/** Looks twice: the first time reads the catalogue, too. */
async function pagesOf(statement: string, values: readonly unknown[] = []): Promise<number> {
  const text = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`;
  await world.admin.query(text, [...values]);
  const explained = await world.admin.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(text, [...values]);
  const { Plan: plan } = explained.rows[0]!['QUERY PLAN'][0];
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

describe('a page by what few records name', () => {
  it.each([
    { rooftopId: 'roof.new' },
    { rooftopId: 'roof.none' },
    { rooftopId: 'roof.new', outcome: 'denied' },
    { resourceId: 'veh.none' },
    { subject: 'veh.none' },
    { subject: 'agent.none' },
    { rooftopId: 'roof.0' }, // and what many name is found as quickly
  ])('by %j does not read what does not name it', async (filter) => {
    expect(await pagesOf('SELECT * FROM find_audit_events($1, NULL, NULL, 10)', [filter])).toBeLessThan(PAGES);
  });

  it('would be found out: the walk back through time reads the month', async () => {
    const written = await world.admin.query<{ text: string }>(
      `SELECT audit_search_statement('{"rooftopId": "roof.new"}', '-infinity', now(), NULL, NULL, 10, 'by time') AS text`,
    );
    expect(await pagesOf(written.rows[0]!.text)).toBeGreaterThan(2 * PAGES);
  });
});

describe('what a search by ids finds', () => {
  const FILTERS = {
    // many everywhere, few, many in the older half only, none, and mixtures
    '{"rooftopId": "roof.1"}': `rooftop_ids @> '{roof.1}'`,
    '{"rooftopId": "roof.new"}': `rooftop_ids @> '{roof.new}'`,
    '{"rooftopId": "roof.closed"}': `rooftop_ids @> '{roof.closed}'`,
    '{"rooftopId": "roof.none"}': 'false',
    '{"rooftopId": "roof.closed", "actor": "agent.3"}': `rooftop_ids @> '{roof.closed}' AND actor = 'agent.3'`,
    '{"resourceId": "veh.17"}': `resource_ids @> '{veh.17}'`,
    '{"subject": "agent.5"}': `actor = 'agent.5'`,
    '{"subject": "veh.5", "outcome": "denied"}': `resource_ids @> '{veh.5}' AND outcome = 'denied'`,
  };

  it.each(Object.entries(FILTERS))('by %s is what plain SQL finds, page by page', async (filter, condition) => {
    const search = new PostgresAuditSearch(world.pool);
    for (const limit of [7, 1000]) {
      const { rows } = await world.admin.query<{ event_id: string }>(
        `SELECT event_id FROM audit_events WHERE organization_id = '${ORGANIZATION}' AND ${condition} ORDER BY recorded_at DESC, event_id DESC LIMIT ${3 * limit}`,
      );
      const found: string[] = [];
      let after: { recordedAt: string; eventId: string } | undefined;
      for (let page = 0; page < 3; page++) {
        const at = after === undefined ? {} : { after };
        const records = await search.find(ORGANIZATION, JSON.parse(filter) as object, { ...at, limit });
        found.push(...records.map(({ eventId }) => eventId));
        after = records.at(-1) ?? after;
      }
      expect(found).toEqual(rows.map(({ event_id: id }) => id));
    }
  });
});
