// A year of an organization's audit trail, made inside the database: for the benchmark of searches.

export const ORGANIZATION = 'org.bench';
export const VEHICLES = 100_000;

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

// Nine of ten calls are an agent's: half of them searches that name a few rooftops and 10 vehicles, half about one vehicle.
// h(n) is a fixed shuffle of the row's number. The rarest things come once in a hundred thousand rows.
const ROWS = `
  SELECT recorded_at, 'req_' || lpad(n::text, 26, '0'), ${`'${ORGANIZATION}'`}, recorded_at, 'trc_' || lpad(n::text, 26, '0'), surface, operation,
    CASE WHEN surface = 'mcp' THEN CASE WHEN h % 100000 = 7 THEN 'dap.rare.v1' ELSE 'dap.core.v1' END END,
    CASE WHEN surface <> 'mcp' THEN 'person' WHEN h % 10 = 0 THEN 'anonymous' ELSE 'agent' END,
    CASE WHEN surface <> 'mcp' THEN 'staff.' || h % 20 WHEN h % 10 = 0 THEN NULL WHEN h % 10 < 3 THEN 'agent.large' ELSE 'agent.' || h % 400 END,
    CASE WHEN surface = 'mcp' AND h % 10 > 0 THEN 'https://client.example/' || h % 50 END,
    CASE WHEN surface <> 'mcp' THEN '{}' WHEN h % 2 = 0 THEN ARRAY(SELECT 'roof.' || (h + i * 37) % 300 FROM generate_series(1, 3) AS i)
         WHEN h % 100003 = 11 THEN ARRAY['roof.rare'] ELSE ARRAY['roof.' || h % 300] END,
    CASE WHEN surface <> 'mcp' THEN ARRAY['grant.' || h % 1000]
         WHEN h % 2 = 0 THEN ARRAY(SELECT 'veh.' || lpad(((h * (i + 3)) % ${VEHICLES})::text, 25, '0') FROM generate_series(1, 10) AS i)
         ELSE ARRAY['veh.' || lpad((h % ${VEHICLES})::text, 25, '0')] END,
    CASE WHEN h % 200 = 3 THEN 'deny' ELSE 'allow' END, CASE WHEN h % 200 = 3 THEN 'grant_expired' END, 'policy.dealer@' || n * 12 / $2::bigint,
    CASE WHEN h % 200 = 3 THEN 'denied' WHEN h % 100 = 1 THEN 'failed' ELSE 'succeeded' END, CASE WHEN h % 100 = 1 THEN 'input.invalid' END,
    convert_to(repeat(md5(n::text), 16), 'UTF8'), decode(md5(n::text), 'hex')
  FROM (SELECT n, abs(hashint8(n)::bigint) AS h, date_trunc('month', now(), 'UTC') - interval '11 months'
          + (now() - date_trunc('month', now(), 'UTC') + interval '11 months') * (n::float8 / $2::bigint) AS recorded_at
        FROM generate_series($1::bigint, $3::bigint) AS n) AS numbered,
    LATERAL (SELECT CASE WHEN h % 100000 = 5 THEN 'command' WHEN h % 40 = 2 THEN 'admin' ELSE 'mcp' END AS surface) AS s,
    LATERAL (SELECT CASE WHEN surface = 'admin' THEN 'audit.search' WHEN surface = 'command' THEN 'staff.add' WHEN h % 100000 = 9 THEN 'dealeragent.rare.tool'
      WHEN h % 2 = 0 THEN 'dealeragent.inventory.search' ELSE 'dealeragent.inventory.get_vehicle' END AS operation) AS o`;

const COLUMNS = `recorded_at, event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client, rooftop_ids,
  resource_ids, decision, reason, policy_version, outcome, failure_code, canon, nonce`;
const AT_ONCE = 250_000;

/**
 * Fills the trail with `count` records of the last year. The indexes are taken away meanwhile and made anew.
 * @param owner a connection of the superuser with search_path = forecourt
 */
export async function fillTrail(owner, count, say) {
  await addMonths(owner);
  const { rows: indexes } = await owner.query(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE tablename = 'audit_events' AND indexname <> 'audit_events_pkey' ORDER BY 1`,
  );
  for (const { name } of indexes) await owner.query(`DROP INDEX ${name}`);
  for (let from = 1; from <= count; from += AT_ONCE) {
    await owner.query(`INSERT INTO audit_events (${COLUMNS}) ${ROWS}`, [
      from,
      count,
      Math.min(from + AT_ONCE - 1, count),
    ]);
    say(`${Math.min(from + AT_ONCE - 1, count)} rows`);
  }
  const sizes = [];
  for (const { name, text } of indexes) {
    await owner.query(text.replace(' ON ONLY ', ' ON '));
    const { rows } = await owner.query(
      `SELECT coalesce(sum(pg_relation_size(inhrelid)), 0)::float8 AS bytes FROM pg_inherits WHERE inhparent = $1::regclass`,
      [name],
    );
    sizes.push({ name, bytes: rows[0].bytes });
    say(`index ${name}`);
  }
  await owner.query('VACUUM (ANALYZE) audit_events');
  return sizes;
}
