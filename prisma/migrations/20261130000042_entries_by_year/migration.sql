-- Entries of the audit log in years of their own, and pruning that costs less (docs/adr/0056-entries-by-year.md). Runs as
-- forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ years
-- By the time of their record, as months of the trail are. By year and not by month: what reads a log by number looks into every
-- partition. The number is unique in each of them; across them by how it is given: one sequencer counts audit_logs.size on.
ALTER TABLE audit_entries RENAME TO audit_entries_before;
ALTER INDEX audit_entries_pkey RENAME TO audit_entries_before_pkey;
ALTER INDEX audit_entries_recorded_at_event_id_key RENAME TO audit_entries_before_recorded_at_event_id_key;
DROP TRIGGER audit_entries_are_final ON audit_entries_before;
DROP TRIGGER audit_entries_are_kept ON audit_entries_before;
DROP TRIGGER only_pruned_entries ON audit_entries_before;
DROP POLICY sequencing ON audit_entries_before;
DROP POLICY guarding ON audit_entries_before;
REVOKE ALL ON audit_entries_before FROM forecourt_app, forecourt_sequencer, forecourt_retention;

CREATE TABLE audit_entries (
  organization_id text NOT NULL,
  seq             bigint NOT NULL CONSTRAINT audit_entries_seq_check CHECK (seq >= 0),
  recorded_at     timestamptz(6) NOT NULL,
  event_id        text NOT NULL,
  leaf_hash       bytea NOT NULL CONSTRAINT audit_entries_leaf_hash_check CHECK (length(leaf_hash) = 32),
  UNIQUE (recorded_at, event_id) -- no record is numbered twice
) PARTITION BY RANGE (recorded_at);
SELECT isolate_tenant_table('audit_entries');
GRANT SELECT ON audit_entries TO forecourt_app;
GRANT SELECT, INSERT ON audit_entries TO forecourt_sequencer;
GRANT SELECT, DELETE ON audit_entries TO forecourt_retention;
CREATE POLICY sequencing ON audit_entries TO forecourt_sequencer USING (true) WITH CHECK (true);
CREATE POLICY guarding ON audit_entries FOR SELECT TO forecourt_retention USING (true);

-- As before, without a call for each row that may go: forecourt_retention has no right to change one, and only_pruned_entries asks
-- once which ones it deletes.
CREATE TRIGGER audit_entries_are_final BEFORE UPDATE OR DELETE ON audit_entries FOR EACH ROW WHEN (current_user <> 'forecourt_retention') EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_entries_are_kept BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER only_pruned_entries AFTER DELETE ON audit_entries REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION only_pruned_entries();
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_are_final;
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_entries_are_kept;
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER only_pruned_entries;

-- The same for records: redaction is the only update, and who deletes is asked without a call.
DROP TRIGGER audit_events_are_final ON audit_events;
CREATE TRIGGER audit_events_are_final BEFORE UPDATE ON audit_events FOR EACH ROW EXECUTE FUNCTION only_audit_redaction();
CREATE TRIGGER audit_events_go_by_pruning BEFORE DELETE ON audit_events FOR EACH ROW WHEN (current_user <> 'forecourt_retention') EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_are_final;
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_go_by_pruning;

-- What is there becomes the year that ends with its newest entry, with everything before it: nothing is copied. The owner sees no
-- rows of any tenant while row-level security holds for it, too.
ALTER TABLE audit_entries_before NO FORCE ROW LEVEL SECURITY;
DO $attach$
DECLARE
  first   timestamptz := (SELECT min(at) FROM (SELECT min(recorded_at) AS at FROM audit_entries_before UNION ALL SELECT now()
                            UNION ALL SELECT min(to_date(substring(inhrelid::regclass::text FROM '\d{4}_\d{2}$'), 'YYYY_MM')::timestamp AT TIME ZONE 'UTC')
                                      FROM pg_inherits WHERE inhparent = 'audit_events'::regclass) AS a);
  last    timestamptz := (SELECT greatest(now(), max(recorded_at)) FROM audit_entries_before);
  name    text := 'audit_entries_' || to_char(last AT TIME ZONE 'UTC', 'YYYY');
BEGIN
  EXECUTE format('ALTER TABLE audit_entries_before RENAME TO %I', name);
  EXECUTE format('ALTER INDEX audit_entries_before_pkey RENAME TO %I', name || '_pkey');
  EXECUTE format('ALTER INDEX audit_entries_before_recorded_at_event_id_key RENAME TO %I', name || '_recorded_at_event_id_key');
  PERFORM guard_audit_month(name::regclass);
  EXECUTE format('ALTER TABLE audit_entries ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, date_trunc('year', first, 'UTC'),
                 date_add(date_trunc('year', last, 'UTC'), '1 year', 'UTC'));
  EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
END
$attach$;

-- Makes the year of a time, where there is none. Never a DEFAULT partition, as for months.
CREATE FUNCTION ensure_audit_year(p_time timestamptz) RETURNS void LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  year timestamptz := date_trunc('year', p_time, 'UTC');
  name text := 'audit_entries_' || to_char(year AT TIME ZONE 'UTC', 'YYYY');
BEGIN
  IF to_regclass('forecourt.' || name) IS NULL THEN
    EXECUTE format('CREATE TABLE %I (LIKE audit_entries INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (organization_id, seq))', name);
    PERFORM isolate_tenant_table(name::regclass);
    PERFORM guard_audit_month(name::regclass);
    EXECUTE format('ALTER TABLE audit_entries ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, year, date_add(year, '1 year', 'UTC'));
  END IF;
END
$$;

-- As before, and the years of these months.
CREATE OR REPLACE FUNCTION ensure_audit_partitions(months_ahead integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  month   timestamptz := date_trunc('month', now(), 'UTC');
  name    text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('forecourt.audit_partitions'));
  FOR i IN 0 .. least(greatest(months_ahead, 0), 24) LOOP
    name := 'audit_events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
    PERFORM ensure_audit_year(month);
    IF to_regclass('forecourt.' || name) IS NULL THEN
      -- Made apart and attached: PARTITION OF would lock every reader and writer of the trail out until it is done.
      EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)', name);
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
      EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
      EXECUTE format('CREATE POLICY tenant_isolation ON %I USING (organization_id = current_tenant()) WITH CHECK (organization_id = current_tenant())', name);
      PERFORM guard_audit_month(name::regclass);
      EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, month, date_add(month, '1 month', 'UTC'));
      created := created + 1;
    END IF;
    month := date_add(month, '1 month', 'UTC');
  END LOOP;
  RETURN created;
END
$$;
SELECT ensure_audit_year(to_date(substring(inhrelid::regclass::text FROM '\d{4}_\d{2}$'), 'YYYY_MM')::timestamp AT TIME ZONE 'UTC')
  FROM pg_inherits WHERE inhparent = 'audit_events'::regclass AND to_date(substring(inhrelid::regclass::text FROM '\d{4}_\d{2}$'), 'YYYY_MM') > now();

-- As before, and for years.
CREATE OR REPLACE FUNCTION refuse_audit_drop() RETURNS event_trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  dropped record;
BEGIN
  FOR dropped IN SELECT object_name FROM pg_event_trigger_dropped_objects()
                 WHERE object_type = 'table' AND schema_name = 'forecourt' AND object_name ~ '^audit_(events|entries)' LOOP
    IF current_user <> 'forecourt_owner' OR coalesce(current_setting('app.audit_month', true), '') <> dropped.object_name THEN
      RAISE EXCEPTION 'months of the audit trail go by retention runs only (%)', dropped.object_name USING ERRCODE = 'restrict_violation';
    END IF;
  END LOOP;
END
$$;

-- ------------------------------------------------------------------------------------------------ a year goes
-- Up to where runs have the evidence of what they disposed of, before this number. A run that is not known any more is over.
CREATE FUNCTION audit_disposed_before(p_organization text) RETURNS bigint LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT coalesce(max(CASE r.position #>> '{audit_event,phase}' WHEN 'rows' THEN coalesce((r.position #>> '{audit_event,at}')::bigint, 0)
                                 WHEN 'kept' THEN p.min_index ELSE CASE WHEN r.run_id IS NULL THEN p.min_index ELSE 0 END END), 0)
        FROM audit_prunings p LEFT JOIN retention_runs r ON r.organization_id = p.organization_id AND r.run_id = p.run_id
        WHERE p.organization_id = p_organization $$;

-- Whether runs are done with every entry of records before a time.
CREATE FUNCTION audit_entries_over(p_before timestamptz) RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  tenant text := '';
  last   bigint;
BEGIN
  LOOP
    SELECT k.organization_id INTO tenant FROM audit_entries k WHERE k.organization_id > tenant AND k.recorded_at < p_before ORDER BY 1 LIMIT 1;
    EXIT WHEN NOT FOUND;
    SELECT k.seq INTO last FROM audit_entries k WHERE k.organization_id = tenant AND k.recorded_at < p_before ORDER BY k.seq DESC LIMIT 1;
    IF last >= audit_disposed_before(tenant) THEN
      RETURN false;
    END IF;
  END LOOP;
  RETURN true;
END
$$;

-- Years of entries that end before a time, and all of whose months have gone, oldest first.
CREATE FUNCTION audit_years_before(p_time timestamptz) RETURNS SETOF integer LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT y.year FROM (SELECT substring(inhrelid::regclass::text FROM '\d{4}$')::integer AS year FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass) AS y,
          make_timestamptz(y.year + 1, 1, 1, 0, 0, 0, 'UTC') AS ends
        WHERE ends <= p_time AND NOT EXISTS (SELECT FROM audit_months_before(ends)) ORDER BY 1 $$;

-- Drops a year of entries. Their records are all gone, and runs have the evidence; false where it cannot be yet.
CREATE FUNCTION drop_audit_year(p_year integer) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  name    text := 'audit_entries_' || p_year;
  dropped boolean := false;
BEGIN
  IF p_year NOT IN (SELECT audit_years_before(now())) OR NOT audit_entries_over(make_timestamptz(p_year + 1, 1, 1, 0, 0, 0, 'UTC')) THEN
    RETURN false;
  END IF;
  PERFORM set_config('lock_timeout', '500ms', true); -- whoever numbers records waits behind this one
  BEGIN
    PERFORM set_config('app.audit_month', name, true);
    EXECUTE format('DROP TABLE %I', name);
    PERFORM set_config('app.audit_month', '', true);
    dropped := true;
  EXCEPTION WHEN lock_not_available THEN
    NULL; -- the next run tries again
  END;
  PERFORM set_config('lock_timeout', '0', true);
  RETURN dropped;
END
$$;

-- ------------------------------------------------------------------------------------------------ rows
-- When the first and the last record of rows of the tenant's log was written. OFFSET 0: else the planner looks for the first record
-- of all logs that is one of these.
CREATE FUNCTION audit_times(p_from bigint, p_to bigint, OUT oldest timestamptz, OUT newest timestamptz)
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  SELECT min(k.recorded_at), max(k.recorded_at) INTO oldest, newest
    FROM (SELECT e.recorded_at FROM audit_entries e WHERE e.organization_id = current_tenant() AND e.seq >= p_from AND e.seq < p_to OFFSET 0) AS k;
END
$$;

-- As before. The records of a slice are found in the months that its entries name, and each by its key: what the planner knew of
-- the trail made it read the whole of it for every slice.
CREATE OR REPLACE FUNCTION audit_slice(p_run retention_runs, p_from bigint, p_to bigint, OUT hashes bytea, OUT gone_hashes bytea, OUT held_at integer[],
                            OUT rooftops jsonb, OUT holds jsonb, OUT first text, OUT last text)
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  binding boolean := EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = current_tenant() AND hold_binds(h, p_run.approved_at));
  outer_pad bytea := hmac_pad(p_run.hash_key, 92);
  inner_pad bytea := hmac_pad(p_run.hash_key, 54);
  oldest    timestamptz;
  newest    timestamptz;
BEGIN
  SELECT t.oldest, t.newest INTO oldest, newest FROM audit_times(p_from, p_to) AS t;
  WITH scanned AS MATERIALIZED (
    SELECT k.seq, k.event_id AS id, coalesce(r.rooftop_ids, v.rooftop_ids) AS rooftop_ids, v.seq IS NOT NULL OR h.ids IS NOT NULL AS kept, h.ids AS kept_by
    FROM audit_entries k
    LEFT JOIN LATERAL (SELECT e.rooftop_ids, e.canon IS NOT NULL AS there, e.nonce, e.actor, e.client, e.resource_ids FROM audit_events e WHERE e.recorded_at = k.recorded_at AND e.event_id = k.event_id
                         AND e.recorded_at >= oldest AND e.recorded_at <= newest OFFSET 0) r ON true
    LEFT JOIN hold_vault v ON v.organization_id = k.organization_id AND v.seq = k.seq
    LEFT JOIN LATERAL (
      SELECT array_agg(h.hold_id ORDER BY h.hold_id) AS ids FROM legal_holds h
      WHERE binding AND h.organization_id = current_tenant() AND hold_binds(h, p_run.approved_at) AND (r.there OR v.canon IS NOT NULL)
        AND (h.covered IS NULL OR hold_covers(h, 'audit_event', k.event_id, coalesce(r.rooftop_ids, v.rooftop_ids),
             CASE WHEN coalesce(r.nonce, v.nonce) IS NOT NULL
                  THEN array_remove(ARRAY[coalesce(r.actor, v.actor), coalesce(r.client, v.client)], NULL) || coalesce(r.resource_ids, v.resource_ids) END,
             k.recorded_at))) h ON true
    WHERE k.organization_id = current_tenant() AND k.seq >= p_from AND k.seq < p_to
  ), numbered AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY s.seq) - 1 AS n, s.*, sha256(outer_pad || sha256(inner_pad || convert_to(E'audit_event\n' || s.id, 'UTF8'))) AS hash,
           CASE WHEN s.rooftop_ids IS NULL THEN '(unknown)'
                ELSE CASE cardinality(s.rooftop_ids) WHEN 0 THEN '(none)' WHEN 1 THEN s.rooftop_ids[1] ELSE '(several)' END END AS rooftop
    FROM scanned s
  )
  SELECT coalesce(string_agg(n.hash, '' ORDER BY n.n), ''),
    CASE WHEN EXISTS (SELECT FROM numbered WHERE kept) THEN (SELECT coalesce(string_agg(m.hash, '' ORDER BY m.n), '') FROM numbered m WHERE NOT m.kept) END,
    (SELECT coalesce(array_agg(m.n::integer ORDER BY m.n), '{}') FROM numbered m WHERE m.kept),
    (SELECT coalesce(jsonb_object_agg(rooftop, many), '{}') FROM (SELECT m.rooftop, count(*) AS many FROM numbered m WHERE NOT m.kept GROUP BY 1) AS by_rooftop),
    (SELECT coalesce(jsonb_object_agg(hold, many), '{}') FROM (SELECT hold, count(*) AS many FROM numbered m, unnest(m.kept_by) AS hold GROUP BY 1) AS by_hold),
    (SELECT m.id FROM numbered m WHERE NOT m.kept ORDER BY m.n LIMIT 1), (SELECT m.id FROM numbered m WHERE NOT m.kept ORDER BY m.n DESC LIMIT 1)
  INTO hashes, gone_hashes, held_at, rooftops, holds, first, last FROM numbered n;
  gone_hashes := coalesce(gone_hashes, hashes);
END
$$;

-- As before; the months of the slice are said in the statement, so that it is planned for them alone.
CREATE OR REPLACE FUNCTION delete_pruned_rows(p_run text, p_cutoffs jsonb, p_from bigint, p_to bigint) RETURNS integer
  LANGUAGE plpgsql SET search_path = forecourt, pg_temp SET enable_seqscan = off SET jit = off AS $$
DECLARE
  bounds  record;
  slice   record;
  vaulted integer;
BEGIN
  SELECT * INTO bounds FROM audit_over_bounds(p_cutoffs);
  SELECT t.oldest, t.newest INTO slice FROM audit_times(p_from, p_to) AS t;
  IF p_from % 256 <> 0 OR p_to % 256 <> 0 OR p_to > audit_min_index() OR slice.newest >= bounds.all_before AND EXISTS (
       SELECT FROM audit_entries k JOIN audit_events e ON e.recorded_at = k.recorded_at AND e.event_id = k.event_id
       WHERE k.organization_id = current_tenant() AND k.seq >= p_from AND k.seq < p_to AND k.recorded_at >= bounds.all_before
         AND NOT rooftops_over(k.recorded_at, e.rooftop_ids, p_cutoffs)) THEN
    RAISE EXCEPTION 'rows go that are over, below a recorded pruning' USING ERRCODE = 'restrict_violation';
  END IF;
  vaulted := vault_held_records(p_run, p_from, p_to);
  IF slice.oldest IS NOT NULL THEN
    EXECUTE format('DELETE FROM audit_events e USING audit_entries k
                    WHERE k.organization_id = $1 AND k.seq >= %1$s AND k.seq < %2$s
                      AND e.recorded_at = k.recorded_at AND e.event_id = k.event_id AND e.organization_id = $1 AND e.recorded_at >= %3$L AND e.recorded_at <= %4$L',
                   p_from, p_to, slice.oldest, slice.newest) USING current_tenant();
    DELETE FROM audit_entries k WHERE k.organization_id = current_tenant() AND k.seq >= p_from AND k.seq < p_to;
  END IF;
  PERFORM delete_pruned_tiles(p_to);
  RETURN vaulted;
END
$$;

-- Tiles of rows before p_to that nothing is made from any more.
CREATE FUNCTION delete_pruned_tiles(p_to bigint) RETURNS void LANGUAGE sql SET search_path = forecourt, pg_temp AS $$
  DELETE FROM audit_tiles t WHERE t.organization_id = current_tenant() AND t.tile_level = 0 AND t.tile_index < p_to / 256
    AND EXISTS (SELECT FROM audit_tiles above WHERE above.organization_id = t.organization_id AND above.tile_level = 1 AND above.tile_index = t.tile_index / 256) $$;

-- As before: the place of each record is looked up by its key, whatever the planner knows.
CREATE OR REPLACE FUNCTION only_pruned_records() RETURNS trigger LANGUAGE plpgsql
  SET search_path = forecourt, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  min_index bigint := audit_min_index();
BEGIN
  IF EXISTS (SELECT FROM gone g LEFT JOIN audit_entries k ON k.recorded_at = g.recorded_at AND k.event_id = g.event_id
               AND k.organization_id = g.organization_id
             WHERE g.organization_id <> current_tenant() OR k.seq IS NULL OR k.seq >= min_index) THEN
    RAISE EXCEPTION 'audit records go below a recorded pruning only' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;

-- Whether the months of rows of the tenant's log have all gone.
CREATE FUNCTION audit_months_gone(p_from bigint, p_to bigint) RETURNS boolean LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT NOT EXISTS (SELECT FROM audit_times(p_from, p_to) AS rows, generate_series(date_trunc('month', rows.oldest, 'UTC'), rows.newest, '1 month', 'UTC') AS month
          WHERE to_regclass('forecourt.audit_events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL) $$;

-- Where the next rows of a run end, before p_end: p_few of them, or many where their months have gone, because nothing is deleted.
CREATE FUNCTION audit_rows_end(p_start bigint, p_end bigint, p_few integer, OUT stop bigint, OUT gone boolean)
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  many bigint := least(p_start + 16384, p_end);
BEGIN
  stop := least(p_start + greatest(p_few / 256, 1) * 256, p_end);
  gone := audit_months_gone(p_start, stop);
  IF gone AND audit_months_gone(p_start, many) THEN
    stop := many;
  END IF;
END
$$;

-- As before. Rows of months that went whole leave the evidence, and their entries go with the year.
CREATE OR REPLACE FUNCTION prune_audit_batch(p_run text, p_lease integer, p_most integer)
  RETURNS TABLE (kind text, part text, hashes bytea, held_at integer[], rooftops jsonb, holds jsonb, first text, last text, restate boolean, finished boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  run     retention_runs := begin_retention_batch(p_run, p_lease, p_most);
  cutoffs jsonb := (SELECT c FROM run_cutoffs(run, 'audit_event') AS c WHERE c ->> 'action' = 'delete');
  at      jsonb := coalesce(run.position -> 'audit_event', '{}');
  pruned  bigint := (SELECT p.min_index FROM audit_prunings p WHERE p.organization_id = run.organization_id AND p.run_id = p_run);
  step    text := CASE WHEN pruned IS NULL THEN 'kept' ELSE coalesce(at ->> 'phase', 'vault') END;
  binding boolean;
  start   bigint;
  stop    bigint;
  moved   integer := 0;
  rows    record;
  g       governed_tables;
  s       record;
BEGIN
  IF cutoffs IS NULL THEN
    RAISE EXCEPTION 'the run deletes nothing of the audit trail' USING ERRCODE = 'restrict_violation';
  END IF;
  IF (at ->> 'finished')::boolean THEN
    RETURN QUERY SELECT 'done', 'hold_vault', ''::bytea, '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, false, true;
    RETURN;
  END IF;
  IF EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = run.organization_id AND h.covered IS NULL) OR pruned > audit_min_index() THEN
    RETURN QUERY SELECT 'waiting', NULL, ''::bytea, '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, false, false;
    RETURN;
  END IF;
  binding := EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = run.organization_id AND hold_binds(h, run.approved_at));
  IF step IN ('vault', 'rows') THEN
    -- Entries that an earlier run has the evidence of may be there until their year goes.
    start := coalesce((at ->> 'at')::bigint, greatest(audit_disposed_before(run.organization_id),
                        (SELECT k.seq / 256 * 256 FROM audit_entries k WHERE k.organization_id = run.organization_id ORDER BY k.seq LIMIT 1)));
    -- Whole tiles: what proves a held record is made from all leaves of its tile.
    stop := least(start + 4096, pruned);
  END IF;
  IF step = 'vault' THEN
    IF binding AND start < pruned THEN
      moved := vault_held_records(p_run, start, stop);
    END IF;
    at := CASE WHEN binding AND stop < pruned THEN jsonb_build_object('phase', 'vault', 'at', stop) ELSE '{"phase": "rows"}' END;
    SELECT ''::bytea AS hashes, ''::bytea AS gone_hashes, '{}'::integer[] AS held_at, '{}'::jsonb AS rooftops, '{}'::jsonb AS holds, NULL::text AS first, NULL::text AS last INTO s;
  ELSIF step = 'rows' THEN
    SELECT * INTO rows FROM audit_rows_end(start, pruned, p_most);
    stop := rows.stop;
    SELECT * INTO s FROM audit_slice(run, start, stop);
    IF rows.gone THEN
      PERFORM delete_pruned_tiles(stop);
    ELSE
      moved := delete_pruned_rows(p_run, cutoffs, start, stop);
    END IF;
    at := CASE WHEN stop < pruned THEN jsonb_build_object('phase', 'rows', 'at', stop) ELSE '{"phase": "kept"}' END;
  ELSE
    SELECT * INTO STRICT g FROM governed_tables t WHERE t.table_name = 'hold_vault';
    g.applies := format('r.run_id <> %L', p_run);
    EXECUTE slice_query(g, cutoffs, true, at ->> 'after' IS NULL, binding) INTO s
      USING run.organization_id, p_most, (at #>> '{after,clock}')::timestamptz, at #>> '{after,id}', run.approved_at, hmac_pad(run.hash_key, 54), hmac_pad(run.hash_key, 92);
    moved := length(s.gone_hashes) / 32;
    at := CASE WHEN s.scanned = p_most THEN jsonb_build_object('phase', 'kept', 'after', jsonb_build_object('clock', s.last_clock, 'id', s.last_id))
               ELSE '{"phase": "kept", "finished": true}' END;
  END IF;
  part := CASE step WHEN 'kept' THEN 'hold_vault' ELSE 'audit_events' END;
  PERFORM end_retention_batch(run, 'audit_event', part, at, length(s.gone_hashes) / 32, sha256(s.gone_hashes), cardinality(s.held_at), 0, s.rooftops, s.holds, s.first, s.last);
  RETURN QUERY SELECT 'done', prune_audit_batch.part, s.hashes, s.held_at, s.rooftops, s.holds, s.first, s.last,
    CASE WHEN step = 'vault' THEN at ->> 'phase' = 'rows' AND EXISTS (SELECT FROM hold_vault v WHERE v.organization_id = run.organization_id) ELSE moved > 0 END,
    coalesce((at ->> 'finished')::boolean, false);
END
$$;

-- As before, and with the years of entries that may go when rows have gone.
DROP FUNCTION audit_pruning_state(text);
CREATE FUNCTION audit_pruning_state(p_run text, OUT policy text, OUT recorded bigint, OUT numbered boolean, OUT phase text, OUT months text[], OUT years integer[],
                                    OUT from_index bigint, OUT min_index bigint, OUT size bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  run retention_runs;
BEGIN
  SELECT * INTO STRICT run FROM retention_runs r WHERE r.organization_id = current_tenant() AND r.run_id = p_run;
  policy := run.policy_id || '@' || run.policy_version;
  SELECT p.min_index INTO recorded FROM audit_prunings p WHERE p.organization_id = current_tenant() AND p.run_id = p_run;
  numbered := audit_min_index() >= recorded;
  phase := run.position #>> '{audit_event,phase}';
  IF phase = 'rows' AND run.position #> '{audit_event,at}' IS NULL THEN
    months := ARRAY(SELECT m::text FROM audit_months_before((SELECT b.all_before FROM run_cutoffs(run, 'audit_event') AS c, audit_over_bounds(c) AS b)) AS m);
  END IF;
  IF (phase = 'kept' OR recorded IS NULL) AND run.position #> '{audit_event,after}' IS NULL AND run.position #> '{audit_event,finished}' IS NULL THEN
    years := ARRAY(SELECT y FROM audit_years_before(now()) AS y);
  END IF;
  IF recorded IS NULL THEN
    SELECT c.* INTO from_index, min_index, size FROM run_cutoffs(run, 'audit_event') AS cutoffs, audit_cut(cutoffs) AS c;
  END IF;
END
$$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION audit_entries_over(timestamptz) OWNER TO forecourt_retention;
ALTER FUNCTION audit_pruning_state(text) OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;
REVOKE EXECUTE ON FUNCTION ensure_audit_year(timestamptz), audit_disposed_before(text), audit_entries_over(timestamptz), audit_years_before(timestamptz),
  drop_audit_year(integer), audit_times(bigint, bigint), delete_pruned_tiles(bigint), audit_months_gone(bigint, bigint),
  audit_rows_end(bigint, bigint, integer), audit_pruning_state(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_disposed_before(text), audit_years_before(timestamptz), audit_times(bigint, bigint), delete_pruned_tiles(bigint),
  audit_months_gone(bigint, bigint), audit_rows_end(bigint, bigint, integer) TO forecourt_retention;
GRANT EXECUTE ON FUNCTION audit_pruning_state(text), drop_audit_year(integer) TO forecourt_app;
