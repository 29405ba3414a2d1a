import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  AuditFilter,
  AuditPosition,
  AuditSummary,
  ReceiptLine,
} from '../../src/modules/audit/app/audit-search.js';
import { PostgresAuditSearch } from '../../src/modules/audit/infra/postgres-audit-search.js';
import { AuditLogWorld } from '../support/audit-log-world.js';

/** Sums and receipts come in pages of any size: together they say what the records say, counted one by one. */
const ORGANIZATION = 'org.summed';
const ROWS = 1500;
const LONGEST_MS = 60_000;

// Over two months, often several records at the same instant; h is a fixed shuffle of the row's number.
const FILL = `INSERT INTO audit_events (recorded_at, event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor,
    client, rooftop_ids, resource_ids, decision, reason, policy_version, outcome, failure_code, canon, nonce)
  SELECT date_trunc('month', now(), 'UTC') + (h % 700) * interval '2 hours 1.000001 seconds', $1 || '.' || n, $1, now(), 'trc_' || n,
    CASE WHEN h % 13 = 0 THEN 'admin' ELSE 'mcp' END, 'tool.' || h % 3, NULL, 'agent', CASE WHEN h % 7 > 0 THEN 'agent.' || h % 2 END,
    CASE WHEN h % 5 > 0 THEN 'client.' || h % 4 END, ARRAY(SELECT 'roof.' || i FROM generate_series(1, h % 4) AS i),
    ARRAY(SELECT 'veh.' || (h * i) % 20 FROM generate_series(1, h % 6) AS i) || CASE WHEN h % 11 = 0 THEN ARRAY['agent.1'] ELSE '{}' END,
    'allow', NULL, NULL, CASE WHEN h % 9 = 0 THEN 'failed' ELSE 'succeeded' END, NULL, '\\x00', NULL
  FROM (SELECT n, abs(hashint8(n)::bigint) AS h FROM generate_series(1, ${ROWS}) AS n) AS numbered`;

let world: AuditLogWorld;
let first: string;
let last: string;
beforeAll(async () => {
  world = await AuditLogWorld.open();
  for (const organization of [ORGANIZATION, 'org.other']) await world.admin.query(FILL, [organization]);
  const { rows } = await world.admin.query<{ first: Date; last: Date }>(
    'SELECT min(recorded_at) AS first, max(recorded_at) AS last FROM audit_events',
  );
  first = rows[0]!.first.toISOString();
  last = rows[0]!.last.toISOString();
});
afterAll(() => world.close());

const reader = (most: number): PostgresAuditSearch => new PostgresAuditSearch(world.pool, LONGEST_MS, most);
const between = (part: number): string =>
  new Date(Date.parse(first) + (Date.parse(last) - Date.parse(first)) * part).toISOString();

/** What stands in the records by plain SQL: every entry with its records, its first and its last time. */
async function counted({ from, to, actor, subject }: AuditFilter): Promise<Record<string, string>> {
  const { rows } = await world.admin.query<{ name: string; counted: string }>(
    `WITH hit AS (SELECT * FROM audit_events WHERE organization_id = $1 AND recorded_at >= coalesce($2::timestamptz, '-infinity')
         AND recorded_at < coalesce($3::timestamptz, 'infinity') AND ($4::text IS NULL OR actor = $4) AND ($5::text IS NULL OR actor = $5 OR $5 = ANY(resource_ids)))
     SELECT name, count(*) || ' ' || to_char(min(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' '
         || to_char(max(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS counted
     FROM (SELECT 'all' AS name, recorded_at AS at FROM hit
       UNION ALL SELECT concat_ws('/', 'caller', actor_kind, coalesce(actor, '-'), coalesce(client, '-')), recorded_at FROM hit
       UNION ALL SELECT concat_ws('/', 'operation', operation, outcome), recorded_at FROM hit
       UNION ALL SELECT 'rooftop/' || id, recorded_at FROM hit, unnest(rooftop_ids) AS id
       UNION ALL SELECT 'resource/' || id, recorded_at FROM hit, unnest(resource_ids) AS id) AS said
     GROUP BY name`,
    [ORGANIZATION, from ?? null, to ?? null, actor ?? null, subject ?? null],
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.counted]));
}

type Said = Map<string, { records: number; first: string; last: string }>;

function add(said: Said, name: string, tally: { records: number; first: string; last: string }): void {
  const before = said.get(name) ?? tally;
  const records = said.has(name) ? before.records + tally.records : tally.records;
  const firstOf = tally.first < before.first ? tally.first : before.first;
  said.set(name, { records, first: firstOf, last: tally.last > before.last ? tally.last : before.last });
}

function addAll(said: Said, sum: AuditSummary): void {
  if (sum.records > 0) add(said, 'all', { records: sum.records, first: sum.first!, last: sum.last! });
  for (const c of sum.callers) add(said, `caller/${c.actorKind}/${c.actor ?? '-'}/${c.client ?? '-'}`, c);
  for (const o of sum.operations) add(said, `operation/${o.operation}/${o.outcome}`, o);
  for (const r of sum.rooftops) add(said, `rooftop/${r.id}`, r);
  for (const r of sum.resources) add(said, `resource/${r.id}`, r);
}

async function summed(filter: AuditFilter, most: number): Promise<Record<string, string>> {
  const said: Said = new Map();
  let after: AuditPosition | undefined;
  do {
    const page = after === undefined ? { most: 1000 } : { after, most: 1000 };
    const sum: AuditSummary = await reader(most).sumUp(ORGANIZATION, filter, page);
    expect(sum.records).toBeLessThanOrEqual(most);
    if (sum.next !== null) expect(sum.records).toBe(most);
    expect([sum.callersTotal, sum.rooftopsTotal, sum.resourcesTotal]).toEqual([
      sum.callers.length,
      sum.rooftops.length,
      sum.resources.length,
    ]);
    addAll(said, sum);
    after = sum.next ?? undefined;
  } while (after !== undefined);
  return Object.fromEntries([...said].map(([name, t]) => [name, `${t.records} ${t.first} ${t.last}`]));
}

const anyPart = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));
const period = anyPart.map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

describe('sums in pages', () => {
  it('say together what the records say', async () => {
    const about = fc.constantFrom<AuditFilter>({}, { actor: 'agent.0' }, { subject: 'agent.1' }, { subject: 'veh.7' });
    await fc.assert(
      fc.asyncProperty(about, fc.option(period), fc.integer({ min: 40, max: ROWS + 1 }), async (asked, when, most) => {
        const filter = when === null ? asked : { ...asked, from: between(when[0]), to: between(when[1]) };
        expect(await summed(filter, most)).toEqual(await counted(filter));
      }),
      {
        numRuns: 25,
        examples: [
          [{ subject: 'agent.1' }, null, ROWS],
          [{}, null, 100],
        ],
      },
    );
  });

  it('go on within an instant, and say where', async () => {
    const one = await reader(1).sumUp(ORGANIZATION, {}, { most: 10 });
    expect(one).toMatchObject({ records: 1, next: { recordedAt: one.first } });
    expect((await reader(ROWS).sumUp(ORGANIZATION, {}, { most: 10 })).next).toBeNull();
  });

  it('list the most frequent resources, and say how many there are', async () => {
    const whole = await reader(ROWS).sumUp(ORGANIZATION, {}, { most: 1000 });
    const { resources, resourcesTotal } = await reader(ROWS).sumUp(ORGANIZATION, {}, { most: 3 });
    expect(resources).toEqual(whole.resources.slice(0, 3));
    expect(resourcesTotal).toBe(whole.resources.length);
  });
});

async function receipts(
  filter: { rooftopId: string; from: string; to: string },
  limit: number,
  most: number,
): Promise<ReceiptLine[]> {
  const lines: ReceiptLine[] = [];
  let after: Omit<ReceiptLine, 'calls'> | undefined;
  for (;;) {
    const page = await reader(most).receipts(
      ORGANIZATION,
      filter,
      after === undefined ? { limit: limit + 1 } : { after, limit: limit + 1 },
    );
    lines.push(...page.lines.slice(0, limit));
    if (page.lines.length > limit) after = lines.at(-1)!;
    else if (page.countedTo !== undefined) after = { day: page.countedTo.slice(0, 10), operation: '', outcome: '' };
    else return lines;
  }
}

it('receipts in pages say together what the records say', async () => {
  await fc.assert(
    fc.asyncProperty(
      period,
      fc.integer({ min: 3, max: 60 }),
      fc.integer({ min: 5, max: ROWS }),
      async ([a, b], limit, most) => {
        const filter = { rooftopId: 'roof.2', from: between(a), to: between(b) };
        const { rows } = await world.admin.query<ReceiptLine>(
          `SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, operation, outcome, count(*)::float8 AS calls FROM audit_events
         WHERE organization_id = $1 AND 'roof.2' = ANY(rooftop_ids) AND surface = 'mcp' AND recorded_at >= $2 AND recorded_at < $3 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
          [ORGANIZATION, filter.from, filter.to],
        );
        expect(await receipts(filter, limit, most)).toEqual(rows);
      },
    ),
    { numRuns: 15 },
  );
});
