-- Files that go after the rows that named them, and a guard whose cost does not grow with the ids that holds name
-- (docs/adr/0045-what-is-stored.md). Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ files
-- A file is removed after the transaction that took its row has committed, by a worker, as often as it takes. One row for each
-- row that went; what became of the file is written once.
CREATE TABLE file_removals (
  organization_id text NOT NULL,
  removal_id      uuid NOT NULL DEFAULT gen_random_uuid(),
  kind            text NOT NULL CHECK (kind IN ('feed_file', 'audit_export')),
  storage_key     text NOT NULL CHECK (length(storage_key) BETWEEN 1 AND 200),
  noted_at        timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  due_at          timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0), -- in a row
  problem         text CHECK (length(problem) <= 64), -- of the last attempt: a code, never text of the store
  outcome         text CHECK (outcome IN ('removed', 'absent', 'kept')), -- kept: another row names the same content
  ended_at        timestamptz(6),
  PRIMARY KEY (organization_id, removal_id),
  CHECK ((outcome IS NULL) = (ended_at IS NULL))
);
CREATE INDEX file_removals_due ON file_removals (due_at) WHERE outcome IS NULL;
SELECT isolate_tenant_table('file_removals');

-- With the owner's rights, one tenant after the other: whoever deletes such a row, its file is noted. The argument: what kind.
CREATE FUNCTION note_files() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  tenant       text;
BEGIN
  FOR tenant IN SELECT DISTINCT r.organization_id FROM gone r ORDER BY 1 LOOP
    PERFORM set_config('app.tenant', tenant, true);
    INSERT INTO file_removals (organization_id, kind, storage_key) SELECT tenant, TG_ARGV[0], r.storage_key FROM gone r WHERE r.organization_id = tenant;
  END LOOP;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN NULL;
END
$$;
CREATE TRIGGER note_files AFTER DELETE ON feed_files REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_files('feed_file');
CREATE TRIGGER note_files AFTER DELETE ON audit_export_parts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_files('audit_export');
ALTER TABLE feed_files ENABLE ALWAYS TRIGGER note_files;
ALTER TABLE audit_export_parts ENABLE ALWAYS TRIGGER note_files;
CREATE INDEX audit_export_parts_by_content ON audit_export_parts (organization_id, storage_key);

-- Whether a row of the tenant names the content. Each organization has files of its own, also of the same content.
CREATE FUNCTION file_is_named(p_kind text, p_key text) RETURNS boolean LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT CASE p_kind
          WHEN 'feed_file' THEN EXISTS (SELECT FROM feed_files f WHERE f.organization_id = current_tenant() AND f.storage_key = p_key)
          WHEN 'audit_export' THEN EXISTS (SELECT FROM audit_export_parts p WHERE p.organization_id = current_tenant() AND p.storage_key = p_key)
          ELSE true END $$;

-- Across organizations, before the tenant is known: ids only, those that wait longest first.
CREATE POLICY owner_lookup ON file_removals FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION due_file_removals(p_most integer) RETURNS TABLE (organization_id text, removal_id uuid)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT f.organization_id, f.removal_id FROM file_removals f WHERE f.outcome IS NULL AND f.due_at <= clock_timestamp()
        ORDER BY f.due_at LIMIT least(p_most, 1000) $$;

-- ------------------------------------------------------------------------------------------------ the guard
-- The holds that may cover rows of `rows` (id, rooftops, subjects, created), found by what they name: ids, else subjects, else
-- rooftops, by equality; the rest, and rows that do not know theirs, one by one. Whether one covers is said by hold_covers alone.
CREATE FUNCTION covering_query(p_category text, p_by_id boolean, p_by_subject boolean, p_by_rooftop boolean, p_by_rest boolean)
  RETURNS text LANGUAGE sql IMMUTABLE SET search_path = forecourt, pg_temp AS $$
  SELECT string_agg(format('SELECT h.hold_id FROM legal_holds h %s WHERE h.organization_id = $2 AND hold_binds(h, $1) AND %s
                              AND hold_covers(h, %L, r.id, r.rooftops, r.subjects, r.created)', found.how, found.which, p_category), ' UNION ALL ')
  FROM (VALUES
    (p_by_id, 'CROSS JOIN LATERAL unnest(h.record_ids) AS named JOIN rows r ON r.id = named', 'h.record_ids IS NOT NULL'),
    (p_by_subject, 'CROSS JOIN LATERAL unnest(h.subjects) AS named JOIN (SELECT r.*, unnest(r.subjects) AS one FROM rows r) AS r ON r.one = named',
      'h.record_ids IS NULL AND h.subjects IS NOT NULL'),
    (p_by_subject, 'JOIN rows r ON r.subjects IS NULL', 'h.record_ids IS NULL AND h.subjects IS NOT NULL'),
    (p_by_rooftop, 'CROSS JOIN LATERAL unnest(h.rooftop_ids) AS named JOIN (SELECT r.*, unnest(r.rooftops) AS one FROM rows r) AS r ON r.one = named',
      'h.record_ids IS NULL AND h.subjects IS NULL AND h.rooftop_ids IS NOT NULL'),
    (p_by_rooftop, 'JOIN rows r ON r.rooftops IS NULL', 'h.record_ids IS NULL AND h.subjects IS NULL AND h.rooftop_ids IS NOT NULL'),
    (p_by_rest, 'CROSS JOIN rows r', 'h.record_ids IS NULL AND h.subjects IS NULL AND h.rooftop_ids IS NULL')
  ) AS found (asked, how, which) WHERE found.asked $$;

CREATE OR REPLACE FUNCTION guard_holds() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
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
                     g.record_id, g.rooftops, g.subjects, g.clocks ->> 'created', g.applies,
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

-- ------------------------------------------------------------------------------------------------ rights
GRANT SELECT, UPDATE (due_at, failures, problem, outcome, ended_at) ON file_removals TO forecourt_app;
REVOKE EXECUTE ON FUNCTION note_files(), file_is_named(text, text), due_file_removals(integer), covering_query(text, boolean, boolean, boolean, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION file_is_named(text, text), due_file_removals(integer) TO forecourt_app;
GRANT EXECUTE ON FUNCTION covering_query(text, boolean, boolean, boolean, boolean) TO forecourt_retention;
