-- What is over, and a batch, as before and cheaper (docs/adr/0055-pace-of-retention-runs.md). Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ what is over
-- As before (migration 29). In PL/pgSQL, which plans once; as SQL it was planned again for every record.
CREATE OR REPLACE FUNCTION rooftops_over(p_clock timestamptz, p_rooftops text[], p_cutoffs jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_rooftops IS NULL THEN
    RETURN p_clock < forecourt.cutoff_bound(p_cutoffs -> 'unknown');
  ELSIF p_rooftops = '{}' THEN
    RETURN p_clock < forecourt.cutoff_bound(p_cutoffs -> 'standard');
  END IF;
  RETURN (SELECT coalesce(bool_or(p_clock < forecourt.cutoff_bound(own.c || '{"floorBefore": null}')), false)
             AND bool_and(own.c -> 'floorBefore' = 'null' OR p_clock < forecourt.cutoff_bound(own.c || jsonb_build_object('ceilingBefore', own.c -> 'floorBefore')))
          FROM (SELECT coalesce((SELECT listed FROM jsonb_array_elements(p_cutoffs -> 'rooftops') AS listed WHERE listed ->> 'rooftopId' = rooftop LIMIT 1),
                                p_cutoffs -> 'standard') AS c
                FROM unnest(p_rooftops) AS rooftop) AS own);
END
$$;

-- As before. A record of one rooftop, as most are, is compared with one bound that is found by name: for one rooftop ceiling and floor are
-- the earlier of both.
CREATE OR REPLACE FUNCTION over_condition(g governed_tables, p_cutoffs jsonb) RETURNS text LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  clock text := g.clocks ->> (p_cutoffs ->> 'clock');
  every jsonb[] := ARRAY[p_cutoffs -> 'standard', p_cutoffs -> 'unknown'] || ARRAY(SELECT c - 'rooftopId' FROM jsonb_array_elements(p_cutoffs -> 'rooftops') AS c);
  last  timestamptz := (SELECT max(cutoff_bound(c || '{"floorBefore": null}')) FROM unnest(every) AS c);
  own   jsonb;
BEGIN
  IF clock IS NULL THEN
    RAISE EXCEPTION 'records of % have no clock %', g.table_name, p_cutoffs ->> 'clock' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- One cutoff for all: no need to ask each row for its rooftops.
  IF (SELECT count(DISTINCT c) FROM unnest(every) AS c) = 1 THEN
    RETURN format('(%s) < %L::timestamptz', clock, cutoff_bound(every[1]));
  END IF;
  SELECT coalesce(jsonb_object_agg(first.c ->> 'rooftopId', cutoff_bound(first.c)), '{}') INTO own
    FROM (SELECT DISTINCT ON (l.c ->> 'rooftopId') l.c FROM jsonb_array_elements(p_cutoffs -> 'rooftops') WITH ORDINALITY AS l (c, n)
          ORDER BY l.c ->> 'rooftopId', l.n) AS first;
  RETURN format('(%1$s) < %2$L::timestamptz AND CASE WHEN (%3$s) IS NULL THEN (%1$s) < %4$L::timestamptz ELSE CASE cardinality(%3$s)
      WHEN 0 THEN (%1$s) < %5$L::timestamptz WHEN 1 THEN (%1$s) < coalesce((%6$L::jsonb ->> (%3$s)[1])::timestamptz, %5$L::timestamptz)
      ELSE rooftops_over(%1$s, %3$s, %7$L) END END',
    clock, last, g.rooftops, cutoff_bound(p_cutoffs -> 'unknown'), cutoff_bound(p_cutoffs -> 'standard'), own, p_cutoffs);
END
$$;

-- As before (migration 29). Everything is read off the candidates in one pass, in the order in which they were found: no numbering, no sort, and
-- no second look at rows that carry their hashes. `OFFSET 0` keeps what is worked out of a row from being worked out for each use of it.
CREATE OR REPLACE FUNCTION slice_query(g governed_tables, p_cutoffs jsonb, p_deleting boolean, p_starting boolean, p_holds boolean)
  RETURNS text LANGUAGE sql STABLE SET search_path = forecourt, pg_temp AS $$
  SELECT format($query$
    WITH scanned AS MATERIALIZED (
      SELECT r.ctid AS place, (%1$s) AS clock, (%2$s) COLLATE "C" AS id, (%3$s) AS rooftops, coalesce((%4$s), false) AS free, %5$s AS holds
      FROM %6$I r
      WHERE r.organization_id = $1 AND (%7$s) AND %8$s %9$s
      ORDER BY (%1$s), (%2$s) COLLATE "C" LIMIT $2
    ), %10$s judged AS (
      SELECT s.clock, s.id, s.holds IS NOT NULL AS held, s.holds IS NULL AND s.free %11$s AS going, sha256($7 || sha256($6 || convert_to(%12$L || s.id, 'UTF8'))) AS hash,
             CASE WHEN s.rooftops IS NULL THEN '(unknown)' ELSE CASE cardinality(s.rooftops) WHEN 0 THEN '(none)' WHEN 1 THEN s.rooftops[1] ELSE '(several)' END END AS rooftop
      FROM scanned s ORDER BY s.clock, s.id OFFSET 0
    ), listed AS (
      SELECT count(*)::integer AS scanned, coalesce(string_agg(hash, '' ORDER BY clock, id), '') AS hashes,
        coalesce(string_agg(hash, '' ORDER BY clock, id) FILTER (WHERE going), '') AS gone_hashes,
        array_agg(held ORDER BY clock, id) AS held, array_agg(going ORDER BY clock, id) AS going,
        array_agg(rooftop ORDER BY clock, id) FILTER (WHERE going) AS rooftops, array_agg(id ORDER BY clock, id) FILTER (WHERE going) AS ids,
        max(clock) AS last_clock, (array_agg(id ORDER BY clock, id))[count(*)] AS last_id
      FROM judged
    )
    SELECT scanned, hashes, gone_hashes,
      ARRAY(SELECT n::integer - 1 FROM unnest(held) WITH ORDINALITY AS h (held, n) WHERE h.held ORDER BY n) AS held_at,
      ARRAY(SELECT n::integer - 1 FROM unnest(held, going) WITH ORDINALITY AS u (held, going, n) WHERE NOT u.held AND NOT u.going ORDER BY n) AS used_at,
      (SELECT coalesce(jsonb_object_agg(rooftop, many), '{}') FROM (SELECT rooftop, count(*) AS many FROM unnest(rooftops) AS rooftop GROUP BY 1) AS by_rooftop) AS rooftops,
      %13$s AS holds, ids[1] AS first, ids[cardinality(ids)] AS last, last_clock, last_id
    FROM listed$query$,
    g.clocks ->> (p_cutoffs ->> 'clock'), g.record_id, g.rooftops, g.disposable,
    CASE WHEN p_holds THEN format('(SELECT array_agg(h.hold_id ORDER BY h.hold_id) FROM legal_holds h WHERE h.organization_id = $1 AND hold_binds(h, $5)
      AND (h.covered IS NULL OR hold_covers(h, %L, %s, %s, %s, %s)))', g.category, g.record_id, g.rooftops, g.subjects, g.clocks ->> 'created') ELSE 'NULL::text[]' END,
    g.table_name, g.applies, over_condition(g, p_cutoffs),
    -- Apart, so that the first half can use an index under row-level security.
    CASE WHEN p_starting THEN '' ELSE format('AND (%1$s) >= $3 AND ((%1$s) > $3 OR (%2$s) > $4 COLLATE "C")', g.clocks ->> (p_cutoffs ->> 'clock'), g.record_id) END,
    CASE WHEN p_deleting THEN format('gone AS (DELETE FROM %I r WHERE r.organization_id = $1 AND r.ctid = ANY (ARRAY(SELECT place FROM scanned WHERE holds IS NULL AND free))
      RETURNING r.ctid AS place),', g.table_name) ELSE '' END,
    CASE WHEN p_deleting THEN 'AND s.place IN (SELECT gone.place FROM gone)' ELSE '' END,
    g.category || E'\n',
    CASE WHEN p_holds THEN $held$(SELECT coalesce(jsonb_object_agg(hold, many), '{}') FROM (SELECT hold, count(*) AS many FROM scanned, unnest(holds) AS hold GROUP BY 1) AS by_hold)$held$ ELSE $held$'{}'::jsonb$held$ END) $$;

-- ------------------------------------------------------------------------------------------------ batches
-- As before (migration 29).
CREATE OR REPLACE FUNCTION begin_retention_batch(p_run text, p_lease integer, p_most integer) RETURNS retention_runs
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
  -- A crash may take back the last batches, each of them whole: rows, evidence and cursor, and the run takes them again. Commits reach the disk
  -- in their order, and those of holds and deletion records wait for it: what they say of a batch is as durable as they are.
  SET LOCAL synchronous_commit = off;
  -- Wide, and not read in a batch: handing them from function to function would copy them.
  run.sketch := NULL;
  run.tree := NULL;
  RETURN run;
END
$$;

-- As before (migration 30). Files are removed by somebody who saw the row go, so that such a batch is durable when it is seen.
CREATE OR REPLACE FUNCTION note_files() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  tenant       text;
BEGIN
  FOR tenant IN SELECT DISTINCT r.organization_id FROM gone r ORDER BY 1 LOOP
    PERFORM set_config('app.tenant', tenant, true);
    INSERT INTO file_removals (organization_id, kind, storage_key) SELECT tenant, TG_ARGV[0], r.storage_key FROM gone r WHERE r.organization_id = tenant;
  END LOOP;
  PERFORM set_config('app.tenant', outer_tenant, true);
  SET LOCAL synchronous_commit TO DEFAULT;
  RETURN NULL;
END
$$;
