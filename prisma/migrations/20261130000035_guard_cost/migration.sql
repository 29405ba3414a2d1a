-- The guard, as before and cheaper (docs/adr/0045-what-is-stored.md). What no hold asks for is not worked out of the rows; and
-- holds meet rows by hashing: how many ids a hold names the planner cannot know, and its guess made loops within loops. What an
-- expression looks up it finds by the key, also in a small table, where row-level security makes every row that is passed over dear. Runs as
-- forecourt_owner with search_path = forecourt.
-- As before, and every kind of holds meets all rows at once: what holds name is listed once, and the rows are gone through once.
CREATE OR REPLACE FUNCTION covering_query(p_category text, p_by_id boolean, p_by_subject boolean, p_by_rooftop boolean, p_by_rest boolean)
  RETURNS text LANGUAGE sql IMMUTABLE SET search_path = forecourt, pg_temp AS $$
  SELECT string_agg(format('SELECT h.hold_id FROM (SELECT b.hold_id%s FROM legal_holds b WHERE b.organization_id = $2 AND hold_binds(b, $1) AND %s OFFSET 0) AS n %s
                              JOIN legal_holds h ON h.organization_id = $2 AND h.hold_id = n.hold_id
                            WHERE hold_covers(h, %L, r.id, r.rooftops, r.subjects, r.created)', found.named, found.which, found.how, p_category), ' UNION ALL ')
  FROM (VALUES
    (p_by_id, ', unnest(b.record_ids) AS named', 'b.record_ids IS NOT NULL', 'JOIN rows r ON r.id = n.named'),
    (p_by_subject, ', unnest(b.subjects) AS named', 'b.record_ids IS NULL AND b.subjects IS NOT NULL',
      'JOIN (SELECT r.*, unnest(r.subjects) AS one FROM rows r OFFSET 0) AS r ON r.one = n.named'),
    (p_by_subject, '', 'b.record_ids IS NULL AND b.subjects IS NOT NULL', 'CROSS JOIN (SELECT * FROM rows WHERE subjects IS NULL) AS r'),
    (p_by_rooftop, ', unnest(b.rooftop_ids) AS named', 'b.record_ids IS NULL AND b.subjects IS NULL AND b.rooftop_ids IS NOT NULL',
      'JOIN (SELECT r.*, unnest(r.rooftops) AS one FROM rows r OFFSET 0) AS r ON r.one = n.named'),
    (p_by_rooftop, '', 'b.record_ids IS NULL AND b.subjects IS NULL AND b.rooftop_ids IS NOT NULL', 'CROSS JOIN (SELECT * FROM rows WHERE rooftops IS NULL) AS r'),
    (p_by_rest, '', 'b.record_ids IS NULL AND b.subjects IS NULL AND b.rooftop_ids IS NULL', 'CROSS JOIN rows r')
  ) AS found (asked, named, which, how) WHERE found.asked $$;

CREATE OR REPLACE FUNCTION guard_holds() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp SET enable_nestloop = off SET enable_seqscan = off AS $$
DECLARE
  g            governed_tables;
  tenants      text[];
  tenant       text;
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  approved     timestamptz := nullif(current_setting('app.retention_approved_at', true), '')::timestamptz;
  concerned    boolean := true;
  binding      record;
  refused      text;
BEGIN
  SELECT array_agg(DISTINCT r.organization_id ORDER BY r.organization_id) INTO tenants FROM gone r;
  IF tenants IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT * INTO STRICT g FROM governed_tables WHERE table_name = TG_TABLE_NAME;
  FOREACH tenant IN ARRAY tenants LOOP
    PERFORM set_config('app.tenant', tenant, true);
    -- Working data of something unfinished waits for no hold, and no hold waits for it.
    IF g.applies <> 'true' THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM gone r WHERE r.organization_id = $1 AND (%s))', g.applies) INTO concerned USING tenant;
    END IF;
    CONTINUE WHEN NOT concerned;
    -- Under any other level the look below could use a snapshot from before the lock.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'records are removed in READ COMMITTED transactions only' USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME;
    END IF;
    PERFORM join_deletions(tenant);
    SELECT count(*) AS number, min(h.hold_id) FILTER (WHERE h.covered IS NULL) AS counting,
           bool_or(h.subjects IS NOT NULL) AS subjects, bool_or(h.rooftop_ids IS NOT NULL) AS rooftops,
           bool_or(h.from_time IS NOT NULL OR h.until_time IS NOT NULL) AS created,
           bool_or(h.record_ids IS NOT NULL) AS by_id,
           bool_or(h.record_ids IS NULL AND h.subjects IS NOT NULL) AS by_subject,
           bool_or(h.record_ids IS NULL AND h.subjects IS NULL AND h.rooftop_ids IS NOT NULL) AS by_rooftop,
           bool_or(h.record_ids IS NULL AND h.subjects IS NULL AND h.rooftop_ids IS NULL) AS by_rest INTO binding
      FROM legal_holds h WHERE h.organization_id = tenant AND hold_binds(h, approved) AND (h.covered IS NULL OR h.categories IS NULL OR g.category = ANY (h.categories));
    CONTINUE WHEN binding.number = 0;
    refused := binding.counting;
    IF refused IS NULL THEN
      EXECUTE format('WITH rows AS MATERIALIZED (SELECT %s AS id, %s AS rooftops, %s AS subjects, %s AS created FROM gone r WHERE r.organization_id = $2 AND (%s))
                      SELECT hold_id FROM (%s) AS covering LIMIT 1',
                     g.record_id, CASE WHEN binding.rooftops THEN g.rooftops ELSE 'NULL::text[]' END, CASE WHEN binding.subjects THEN g.subjects ELSE 'NULL::text[]' END,
                     CASE WHEN binding.created THEN g.clocks ->> 'created' ELSE 'NULL::timestamptz' END, g.applies,
                     covering_query(g.category, binding.by_id, binding.by_subject, binding.by_rooftop, binding.by_rest)) INTO refused USING approved, tenant;
    END IF;
    IF refused IS NOT NULL THEN
      RAISE EXCEPTION 'hold % %', refused, CASE WHEN binding.counting IS NULL THEN 'covers a record of ' || TG_TABLE_NAME ELSE 'is being counted' END
        USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = 'legal_hold', DETAIL = refused;
    END IF;
  END LOOP;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN NULL;
END
$$;
