// A year of an organization's audit trail, made inside the database: for the benchmark of searches.
import pg from 'pg';

export const ORGANIZATION = 'org.bench';
export const VEHICLES = 1_000_000;
export const ROOFTOPS = 300;
export const AGENTS = 400;
/** Ids as long as those that the service mints. */
const roof = (n) => `'roof_' || lpad((${n})::text, 26, '0')`;
const vehicle = (n) => `'veh_' || lpad((${n})::text, 26, '0')`;
export const vehicleId = (n) => `veh_${String(n).padStart(26, '0')}`;
export const rooftopId = (n) => `roof_${String(n).padStart(26, '0')}`;
/** In one record of a hundred; every other vehicle comes about as often as any other. */
export const HOT_VEHICLE = vehicleId('hot');
export const RARE_ROOFTOP = rooftopId('rare');

/** One partition for each of the twelve months up to this one, as the service makes them ahead. */
async function addMonths(owner) {
  await owner.query(`DO $months$
    DECLARE
      month timestamptz := date_trunc('month', now(), 'UTC') - interval '11 months';
      name  text;
    BEGIN
      FOR i IN 0 .. 10 LOOP
        name := 'audit_events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
        EXECUTE format('CREATE TABLE %I PARTITION OF audit_events FOR VALUES FROM (%L) TO (%L)', name, month, date_add(month, '1 month', 'UTC'));
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant_isolation ON %I USING (organization_id = current_tenant()) WITH CHECK (organization_id = current_tenant())', name);
        month := date_add(month, '1 month', 'UTC');
      END LOOP;
    END
    $months$`);
}

// Half of the calls are searches that name up to three rooftops and ten vehicles, half are about one vehicle. One agent makes 17 of a
// hundred calls, the others are skewed, as rooftops are: the first one is named by some 6 of a hundred records. h, a and b are fixed
// shuffles of the row's number; the rarest things come once in a hundred thousand rows.
const ROWS = `
  SELECT recorded_at, 'req_' || lpad(n::text, 26, '0'), '${ORGANIZATION}', recorded_at, 'trc_' || lpad(n::text, 26, '0'), surface, operation,
    CASE WHEN surface = 'mcp' THEN CASE WHEN h % 100000 = 7 THEN 'dap.rare.v1' ELSE 'dealeragent.inventory.read/0.1' END END, actor_kind,
    CASE actor_kind WHEN 'person' THEN 'staff.' || b % 20 WHEN 'agent' THEN CASE WHEN a % 1000 < 190 THEN 'agent.large' ELSE 'agent.' || agent END END,
    CASE WHEN actor_kind = 'agent' THEN 'https://client.example/' || CASE WHEN a % 1000 < 190 THEN 50 ELSE agent % 50 END END,
    CASE WHEN surface <> 'mcp' THEN '{}'
         WHEN h % 100003 = 11 THEN ARRAY['${RARE_ROOFTOP}']
         WHEN h % 2 = 0 THEN ARRAY[${roof('rooftop')}, ${roof(`(rooftop + 37) % ${ROOFTOPS}`)}, ${roof(`(rooftop + 74) % ${ROOFTOPS}`)}]
         ELSE ARRAY[${roof('rooftop')}] END,
    CASE WHEN surface <> 'mcp' THEN ARRAY['grant_' || h % 1000]
         WHEN h % 2 = 0 THEN ARRAY[${Array.from({ length: 10 }, (_, i) => vehicle(`((a / 7) * ${i + 3}) % ${VEHICLES}`)).join(', ')}]
         WHEN b % 50 = 0 THEN ARRAY['${HOT_VEHICLE}']
         ELSE ARRAY[${vehicle(`(a / 7) % ${VEHICLES}`)}] END,
    CASE WHEN b % 200 = 3 THEN 'deny' ELSE 'allow' END, CASE WHEN b % 200 = 3 THEN 'grant_expired' END, 'policy.dealer@' || n * 12 / $2::bigint,
    CASE WHEN b % 200 = 3 THEN 'denied' WHEN b % 100 = 1 THEN 'failed' ELSE 'succeeded' END, CASE WHEN b % 100 = 1 THEN 'input.invalid' END,
    CASE WHEN surface = 'mcp' THEN 'display' END, convert_to(repeat(md5(n::text), 16), 'UTF8'), decode(md5(n::text), 'hex')
  FROM (SELECT n, abs(hashint8(n)::bigint) AS h, abs(hashint8(n + 1000000007)::bigint) AS a, abs(hashint8(n + 2000000011)::bigint) AS b,
          date_trunc('month', now(), 'UTC') - interval '11 months'
            + (now() - date_trunc('month', now(), 'UTC') + interval '11 months') * (n::float8 / $2::bigint) AS recorded_at
        FROM generate_series($1::bigint, $3::bigint) AS n) AS numbered,
    LATERAL (SELECT CASE WHEN h % 100000 = 5 THEN 'command' WHEN h % 40 = 2 THEN 'admin' ELSE 'mcp' END AS surface,
      floor(${AGENTS} * (a % 100003 / 100003.0) ^ 2)::integer AS agent, floor(${ROOFTOPS} * (b % 100019 / 100019.0) ^ 2)::integer AS rooftop) AS s,
    LATERAL (SELECT CASE WHEN surface <> 'mcp' THEN 'person' WHEN h % 10 = 0 THEN 'anonymous' ELSE 'agent' END AS actor_kind,
      CASE WHEN surface = 'admin' THEN 'audit.search' WHEN surface = 'command' THEN 'staff.add' WHEN h % 100000 = 9 THEN 'dealeragent.rare.tool'
      WHEN h % 2 = 0 THEN 'dealeragent.inventory.search' ELSE 'dealeragent.inventory.get_vehicle' END AS operation) AS o`;

const COLUMNS = `recorded_at, event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client, rooftop_ids,
  resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, canon, nonce`;
const AT_ONCE = 100_000;
const CONNECTIONS = 2;

/**
 * Fills the trail with `count` records of the last year. The indexes are taken away meanwhile and made anew.
 * @param owner a connection of the superuser with search_path = forecourt
 */
export async function fillTrail(owner, count, say) {
  // A database that is thrown away need not outlive a power cut.
  for (const setting of [
    'fsync = off',
    'full_page_writes = off',
    `max_wal_size = '8GB'`,
    `maintenance_work_mem = '512MB'`,
  ])
    await owner.query(`ALTER SYSTEM SET ${setting}`);
  await owner.query('SELECT pg_reload_conf()');
  await addMonths(owner);
  const { rows: indexes } = await owner.query(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE tablename = 'audit_events' AND indexname <> 'audit_events_pkey' ORDER BY 1`,
  );
  for (const { name } of indexes) await owner.query(`DROP INDEX ${name}`);
  const pieces = Array.from({ length: Math.ceil(count / AT_ONCE) }, (_, i) => i * AT_ONCE);
  await atOnce(owner, pieces, async (client, done) => {
    const last = Math.min(done + AT_ONCE, count);
    await client.query(`INSERT INTO audit_events (${COLUMNS}) ${ROWS}`, [done + 1, count, last]);
    if (last % 1_000_000 === 0) say(`${last} records`);
  });
  // The index of ids takes as long as all others.
  const longestFirst = indexes.toSorted((a, b) => Number(b.name.endsWith('_ids')) - Number(a.name.endsWith('_ids')));
  await atOnce(owner, longestFirst, async (client, { name, text }) => {
    await client.query(text.replace(' ON ONLY ', ' ON '));
    say(`index ${name}`);
  });
  await owner.query('ANALYZE audit_events');
  say('analysed');
}

/** Does `work` for every item, two at once, each with a connection like the owner's. */
async function atOnce({ host, port, user, password, database }, items, work) {
  const waiting = [...items];
  const one = async () => {
    const client = new pg.Client({ host, port, user, password, database, options: '-c search_path=forecourt' });
    await client.connect();
    try {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(client, item);
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}
