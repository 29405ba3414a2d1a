-- What a retention run reads and deletes (docs/adr/0046-retention-runs.md): one candidate query for preview and run, made from
-- governed_tables, and the two steps that every batch takes. Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ what is over
-- A cutoff of the policy as the moment that a clock must be before; -infinity: never. Clocks count in whole milliseconds.
CREATE FUNCTION cutoff_bound(p_cutoff jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_cutoff -> 'ceilingBefore' = 'null' THEN '-infinity'
    ELSE 'epoch'::timestamptz + (1 + greatest(-62135596800000, least((p_cutoff ->> 'ceilingBefore')::bigint, (p_cutoff ->> 'floorBefore')::bigint))) * interval '1 millisecond' END $$;

-- Whether a record of these rooftops is over: by the ceiling of one of them, and by the floors of all. Not known: the strictest.
CREATE FUNCTION rooftops_over(p_clock timestamptz, p_rooftops text[], p_cutoffs jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_rooftops IS NULL THEN p_clock < forecourt.cutoff_bound(p_cutoffs -> 'unknown')
    WHEN p_rooftops = '{}' THEN p_clock < forecourt.cutoff_bound(p_cutoffs -> 'standard')
    ELSE (SELECT coalesce(bool_or(p_clock < forecourt.cutoff_bound(own.c || '{"floorBefore": null}')), false)
             AND bool_and(own.c -> 'floorBefore' = 'null' OR p_clock < forecourt.cutoff_bound(own.c || jsonb_build_object('ceilingBefore', own.c -> 'floorBefore')))
          FROM (SELECT coalesce((SELECT listed FROM jsonb_array_elements(p_cutoffs -> 'rooftops') AS listed WHERE listed ->> 'rooftopId' = rooftop LIMIT 1),
                                p_cutoffs -> 'standard') AS c
                FROM unnest(p_rooftops) AS rooftop) AS own) END $$;

-- The condition (over alias r) that a row is over under the cutoffs of its category.
CREATE FUNCTION over_condition(g governed_tables, p_cutoffs jsonb) RETURNS text LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  clock text := g.clocks ->> (p_cutoffs ->> 'clock');
  every jsonb[] := ARRAY[p_cutoffs -> 'standard', p_cutoffs -> 'unknown'] || ARRAY(SELECT c - 'rooftopId' FROM jsonb_array_elements(p_cutoffs -> 'rooftops') AS c);
  last  timestamptz := (SELECT max(cutoff_bound(c || '{"floorBefore": null}')) FROM unnest(every) AS c);
BEGIN
  IF clock IS NULL THEN
    RAISE EXCEPTION 'records of % have no clock %', g.table_name, p_cutoffs ->> 'clock' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- One cutoff for all: no need to ask each row for its rooftops.
  IF (SELECT count(DISTINCT c) FROM unnest(every) AS c) = 1 THEN
    RETURN format('(%s) < %L::timestamptz', clock, cutoff_bound(every[1]));
  END IF;
  RETURN format('(%s) < %L::timestamptz AND rooftops_over(%s, %s, %L)', clock, last, clock, g.rooftops, p_cutoffs);
END
$$;

-- Inner and outer pad of HMAC (RFC 2104) for a key of at most 64 bytes.
CREATE FUNCTION hmac_pad(p_key bytea, p_pad integer) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  pad bytea := decode(repeat(lpad(to_hex(p_pad), 2, '0'), 64), 'hex');
BEGIN
  FOR i IN 0 .. length(p_key) - 1 LOOP
    pad := set_byte(pad, i, get_byte(p_key, i) # p_pad);
  END LOOP;
  RETURN pad;
END
$$;

-- The one query of preview and run over a governed table: the next records that are over, in the order of their clock, each with
-- what keeps it. In a batch the rest of them is deleted by the same statement, on the same snapshot.
--   $1 organization, $2 most, $3 and $4 clock and id to begin after (null: from the start), $5 when the run was approved (null: a preview),
--   $6 and $7 pads of the run's key
CREATE FUNCTION slice_query(g governed_tables, p_cutoffs jsonb, p_deleting boolean, p_starting boolean, p_holds boolean)
  RETURNS text LANGUAGE sql STABLE SET search_path = forecourt, pg_temp AS $$
  SELECT format($query$
    WITH scanned AS MATERIALIZED (
      SELECT r.ctid AS place, (%1$s) AS clock, (%2$s) AS id, (%3$s) AS rooftops, coalesce((%4$s), false) AS free, %5$s AS holds
      FROM %6$I r
      WHERE r.organization_id = $1 AND (%7$s) AND %8$s %9$s
      ORDER BY (%1$s), (%2$s) COLLATE "C" LIMIT $2
    ), %10$s numbered AS (
      SELECT row_number() OVER (ORDER BY s.clock, s.id COLLATE "C") - 1 AS n, s.*, s.holds IS NULL AND %11$s AS going,
             sha256($7 || sha256($6 || convert_to(%12$L || s.id, 'UTF8'))) AS hash,
             CASE WHEN s.rooftops IS NULL THEN '(unknown)' ELSE CASE cardinality(s.rooftops) WHEN 0 THEN '(none)' WHEN 1 THEN s.rooftops[1] ELSE '(several)' END END AS rooftop
      FROM scanned s
    )
    SELECT count(*)::integer AS scanned, coalesce(string_agg(hash, '' ORDER BY n), '') AS hashes,
      coalesce(string_agg(hash, '' ORDER BY n) FILTER (WHERE going), '') AS gone_hashes,
      coalesce(array_agg(n::integer ORDER BY n) FILTER (WHERE holds IS NOT NULL), '{}') AS held_at,
      coalesce(array_agg(n::integer ORDER BY n) FILTER (WHERE holds IS NULL AND NOT going), '{}') AS used_at,
      (SELECT coalesce(jsonb_object_agg(rooftop, many), '{}') FROM (SELECT rooftop, count(*) AS many FROM numbered WHERE going GROUP BY 1) AS by_rooftop) AS rooftops,
      (SELECT coalesce(jsonb_object_agg(hold, many), '{}') FROM (SELECT hold, count(*) AS many FROM numbered, unnest(holds) AS hold GROUP BY 1) AS by_hold) AS holds,
      (array_agg(id ORDER BY n) FILTER (WHERE going))[1] AS first, (array_agg(id ORDER BY n DESC) FILTER (WHERE going))[1] AS last,
      (array_agg(clock ORDER BY n DESC))[1] AS last_clock, (array_agg(id ORDER BY n DESC))[1] AS last_id
    FROM numbered$query$,
    g.clocks ->> (p_cutoffs ->> 'clock'), g.record_id, g.rooftops, g.disposable,
    CASE WHEN p_holds THEN format('(SELECT array_agg(h.hold_id ORDER BY h.hold_id) FROM legal_holds h WHERE h.organization_id = $1 AND hold_binds(h, $5)
      AND (h.covered IS NULL OR hold_covers(h, %L, %s, %s, %s, %s)))', g.category, g.record_id, g.rooftops, g.subjects, g.clocks ->> 'created') ELSE 'NULL::text[]' END,
    g.table_name, g.applies, over_condition(g, p_cutoffs),
    -- Apart, so that the first half can use an index under row-level security.
    CASE WHEN p_starting THEN '' ELSE format('AND (%1$s) >= $3 AND ((%1$s) > $3 OR (%2$s) > $4 COLLATE "C")', g.clocks ->> (p_cutoffs ->> 'clock'), g.record_id) END,
    CASE WHEN p_deleting THEN format('gone AS (DELETE FROM %I r WHERE r.organization_id = $1 AND r.ctid = ANY (ARRAY(SELECT place FROM scanned WHERE holds IS NULL AND free))
      RETURNING r.ctid AS place),', g.table_name) ELSE '' END,
    CASE WHEN p_deleting THEN 'EXISTS (SELECT FROM gone WHERE gone.place = s.place)' ELSE 's.free' END,
    g.category || E'\n') $$;

-- ------------------------------------------------------------------------------------------------ previews
-- Records that there are, table by table.
CREATE FUNCTION retention_sizes(p_category text) RETURNS TABLE (part text, records bigint)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  g governed_tables;
BEGIN
  FOR g IN SELECT * FROM governed_tables t WHERE t.category = p_category ORDER BY t.ordinal, t.table_name LOOP
    RETURN QUERY EXECUTE format('SELECT %L, count(*) FROM %I r WHERE r.organization_id = $1 AND (%s)', g.table_name, g.table_name, g.applies) USING current_tenant();
  END LOOP;
END
$$;

-- The next records of a table that are over, in a transaction that is read only: nothing here could delete. p_after: what the
-- slice before said, null for the first one.
CREATE FUNCTION preview_slice(p_run text, p_part name, p_cutoffs jsonb, p_after jsonb, p_most integer)
  RETURNS TABLE (hashes bytea, held_at integer[], used_at integer[], rooftops jsonb, holds jsonb, first text, last text, after jsonb)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  g   governed_tables;
  key bytea;
  s   record;
BEGIN
  IF current_setting('transaction_read_only') <> 'on' THEN
    RAISE EXCEPTION 'a preview is read only' USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT * INTO STRICT g FROM governed_tables t WHERE t.table_name = p_part;
  SELECT hash_key INTO STRICT key FROM retention_runs WHERE organization_id = current_tenant() AND run_id = p_run;
  EXECUTE slice_query(g, p_cutoffs, false, p_after IS NULL, EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = current_tenant() AND hold_binds(h, NULL)))
    INTO s USING current_tenant(), p_most, (p_after ->> 'clock')::timestamptz, p_after ->> 'id', NULL::timestamptz, hmac_pad(key, 54), hmac_pad(key, 92);
  RETURN QUERY SELECT s.hashes, s.held_at, s.used_at, s.rooftops, s.holds, s.first, s.last,
    CASE WHEN s.scanned = p_most THEN jsonb_build_object('clock', s.last_clock, 'id', s.last_id) END;
END
$$;

-- ------------------------------------------------------------------------------------------------ batches
-- How every batch of every kind begins, inside a function of forecourt_retention: the run row first, then the lock that holds and
-- activations of policies wait for, and only then, in a new statement, a look at what is in force.
CREATE FUNCTION begin_retention_batch(p_run text, p_lease integer, p_most integer) RETURNS retention_runs
  LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  run    retention_runs;
  reason text;
BEGIN
  IF p_most NOT BETWEEN 1 AND 1000 OR current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a batch has at most 1000 records and is READ COMMITTED' USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT * INTO run FROM retention_runs r WHERE r.organization_id = current_tenant() AND r.run_id = p_run FOR UPDATE;
  IF run.state IS DISTINCT FROM 'running' THEN
    reason := 'run';
  ELSIF run.lease <> p_lease THEN
    reason := 'lease';
  ELSIF clock_timestamp() < run.last_batch_at - interval '5 minutes' OR clock_timestamp() < run.as_of THEN
    reason := 'clock';
  ELSIF run.batches = 0 AND clock_timestamp() > run.preview_expires_at THEN
    reason := 'preview_expired';
  ELSE
    PERFORM join_deletions(run.organization_id);
    IF NOT EXISTS (SELECT FROM (SELECT v.policy_id, v.version, v.content_hash FROM retention_policy_versions v
                                WHERE v.organization_id = run.organization_id ORDER BY v.version DESC LIMIT 1) AS active
                   WHERE (active.policy_id, active.version, active.content_hash) = (run.policy_id, run.policy_version, run.policy_hash)) THEN
      reason := 'policy';
    END IF;
  END IF;
  IF reason IS NOT NULL THEN
    RAISE EXCEPTION 'retention run not in force: %', reason USING ERRCODE = 'restrict_violation', CONSTRAINT = 'retention_run', DETAIL = reason;
  END IF;
  -- A hold that was released after the approval still binds.
  PERFORM set_config('app.retention_approved_at', run.approved_at::text, true);
  RETURN run;
END
$$;

-- How it ends: evidence and cursor in the transaction of the deletion. p_run: what begin_retention_batch returned; p_digest: SHA-256 of
-- the keyed hashes of what was taken, in order. No more goes than was previewed, and 1 % on top.
CREATE FUNCTION end_retention_batch(p_run retention_runs, p_category text, p_part text, p_position jsonb, p_taken integer, p_digest bytea, p_held integer,
                                    p_failed integer, p_rooftops jsonb, p_holds jsonb, p_first text, p_last text) RETURNS void
  LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF p_run.taken + p_taken > coalesce((p_run.preview ->> 'over')::bigint, 0) * 1.01 THEN
    RAISE EXCEPTION 'retention run not in force: live_set' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'retention_run', DETAIL = 'live_set';
  END IF;
  INSERT INTO retention_batches (organization_id, run_id, number, category, part, taken, held, failed, rooftops, holds, first_record, last_record, digest)
    VALUES (p_run.organization_id, p_run.run_id, p_run.batches + 1, p_category, p_part, p_taken, p_held, p_failed, p_rooftops, p_holds, p_first, p_last, p_digest);
  UPDATE retention_runs r SET position = r.position || jsonb_build_object(p_category, p_position), batches = r.batches + 1, taken = r.taken + p_taken,
      held = r.held + p_held, failed = r.failed + p_failed, last_batch_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
      lease_until = clock_timestamp() + interval '30 seconds'
    WHERE r.organization_id = p_run.organization_id AND r.run_id = p_run.run_id;
END
$$;

-- Deletes the next records of a category, at most p_most of them, under a run that is in force.
--   done     they are gone, or the rest of the table was passed over; `finished`: nothing of the category is left
--   refused  the guard or a reference refused one of several: nothing was taken, ask for fewer. A single one is passed over.
--   waiting  a hold is being counted
CREATE FUNCTION dispose_batch(p_run text, p_lease integer, p_category text, p_most integer)
  RETURNS TABLE (kind text, part text, hashes bytea, held_at integer[], used_at integer[], rooftops jsonb, holds jsonb, first text, last text, finished boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  run      retention_runs := begin_retention_batch(p_run, p_lease, p_most);
  cutoffs  jsonb := (SELECT c FROM jsonb_array_elements(run.cutoffs) AS c WHERE c ->> 'category' = p_category AND c ->> 'action' = 'delete');
  at       jsonb := coalesce(run.position -> p_category, '{}');
  after    jsonb := at -> 'after';
  g        governed_tables;
  next     governed_tables;
  s        record;
  binding  boolean;
  blocking text;
  refusing text;
BEGIN
  IF cutoffs IS NULL THEN
    RAISE EXCEPTION 'the run deletes nothing of %', p_category USING ERRCODE = 'restrict_violation';
  END IF;
  IF EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = run.organization_id AND h.covered IS NULL) THEN
    RETURN QUERY SELECT 'waiting', NULL, ''::bytea, '{}'::integer[], '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, false;
    RETURN;
  END IF;
  SELECT * INTO g FROM governed_tables t WHERE t.category = p_category AND (at ->> 'part' IS NULL OR t.table_name = at ->> 'part') ORDER BY t.ordinal, t.table_name LIMIT 1;
  IF g.table_name IS NULL OR (at ->> 'finished')::boolean THEN
    RETURN QUERY SELECT 'done', g.table_name::text, ''::bytea, '{}'::integer[], '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, true;
    RETURN;
  END IF;
  binding := EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = run.organization_id AND hold_binds(h, run.approved_at));
  FOR attempt IN 1 .. 2 LOOP
    BEGIN
      EXECUTE slice_query(g, cutoffs, attempt = 1, coalesce(after, 'null') = 'null', binding) INTO s
        USING run.organization_id, p_most, (after ->> 'clock')::timestamptz, after ->> 'id', run.approved_at, hmac_pad(run.hash_key, 54), hmac_pad(run.hash_key, 92);
      EXIT;
    EXCEPTION WHEN restrict_violation OR foreign_key_violation THEN
      IF p_most > 1 THEN
        RETURN QUERY SELECT 'refused', g.table_name::text, ''::bytea, '{}'::integer[], '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, false;
        RETURN;
      END IF;
      GET STACKED DIAGNOSTICS refusing = CONSTRAINT_NAME, blocking = PG_EXCEPTION_DETAIL;
    END;
  END LOOP;
  -- A single record that something else refused is passed over: by the hold that said so, else as in use.
  IF refusing IS NOT NULL THEN
    s.gone_hashes := '';
    s.rooftops := '{}';
    s.first := NULL;
    s.last := NULL;
    s.held_at := CASE WHEN refusing = 'legal_hold' AND s.scanned = 1 THEN ARRAY[0] ELSE '{}' END;
    s.used_at := CASE WHEN refusing = 'legal_hold' OR s.scanned = 0 THEN '{}' ELSE ARRAY[0] END;
    s.holds := CASE WHEN refusing = 'legal_hold' THEN jsonb_build_object(blocking, 1) ELSE '{}' END;
  END IF;
  SELECT * INTO next FROM governed_tables t WHERE t.category = p_category AND (t.ordinal, t.table_name) > (g.ordinal, g.table_name) ORDER BY t.ordinal, t.table_name LIMIT 1;
  at := CASE WHEN s.scanned = p_most THEN jsonb_build_object('part', g.table_name, 'after', jsonb_build_object('clock', s.last_clock, 'id', s.last_id))
             WHEN next.table_name IS NOT NULL THEN jsonb_build_object('part', next.table_name)
             ELSE jsonb_build_object('part', g.table_name, 'finished', true) END;
  PERFORM end_retention_batch(run, p_category, g.table_name, at, length(s.gone_hashes) / 32, sha256(s.gone_hashes), cardinality(s.held_at), cardinality(s.used_at), s.rooftops, s.holds, s.first, s.last);
  RETURN QUERY SELECT 'done', g.table_name::text, s.hashes, s.held_at, s.used_at, s.rooftops, s.holds, s.first, s.last, (at ->> 'finished') IS NOT NULL;
END
$$;

-- ------------------------------------------------------------------------------------------------ policies
-- A version of the policy is in force when its transaction ends: no batch under the one before begins after that.
CREATE FUNCTION lock_out_deletions_of_policy() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  PERFORM lock_out_deletions(NEW.organization_id);
  RETURN NEW;
END
$$;
CREATE TRIGGER lock_out_deletions BEFORE INSERT ON retention_policy_versions FOR EACH ROW EXECUTE FUNCTION lock_out_deletions_of_policy();
ALTER TABLE retention_policy_versions ENABLE ALWAYS TRIGGER lock_out_deletions;

-- ------------------------------------------------------------------------------------------------ rights
-- What is governed may be deleted by forecourt_retention, inside the tenant of the transaction; tables governed later, too.
CREATE FUNCTION grant_disposal() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  EXECUTE format('GRANT SELECT, DELETE ON %I TO forecourt_retention', NEW.table_name);
  RETURN NULL;
END
$$;
CREATE TRIGGER grant_disposal AFTER INSERT ON governed_tables FOR EACH ROW EXECUTE FUNCTION grant_disposal();
DO $$
DECLARE
  t name;
BEGIN
  FOR t IN SELECT table_name FROM governed_tables LOOP
    EXECUTE format('GRANT SELECT, DELETE ON %I TO forecourt_retention', t);
  END LOOP;
END
$$;

GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION retention_sizes(text) OWNER TO forecourt_retention;
ALTER FUNCTION preview_slice(text, name, jsonb, jsonb, integer) OWNER TO forecourt_retention;
ALTER FUNCTION dispose_batch(text, integer, text, integer) OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;

REVOKE EXECUTE ON FUNCTION cutoff_bound(jsonb), rooftops_over(timestamptz, text[], jsonb), over_condition(governed_tables, jsonb), hmac_pad(bytea, integer),
  slice_query(governed_tables, jsonb, boolean, boolean, boolean), retention_sizes(text), preview_slice(text, name, jsonb, jsonb, integer),
  begin_retention_batch(text, integer, integer), dispose_batch(text, integer, text, integer), lock_out_deletions_of_policy(), grant_disposal(),
  end_retention_batch(retention_runs, text, text, jsonb, integer, bytea, integer, integer, jsonb, jsonb, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cutoff_bound(jsonb), rooftops_over(timestamptz, text[], jsonb), over_condition(governed_tables, jsonb), hmac_pad(bytea, integer),
  slice_query(governed_tables, jsonb, boolean, boolean, boolean), begin_retention_batch(text, integer, integer),
  end_retention_batch(retention_runs, text, text, jsonb, integer, bytea, integer, integer, jsonb, jsonb, text, text) TO forecourt_retention;
GRANT EXECUTE ON FUNCTION retention_sizes(text), preview_slice(text, name, jsonb, jsonb, integer), dispose_batch(text, integer, text, integer) TO forecourt_app;
