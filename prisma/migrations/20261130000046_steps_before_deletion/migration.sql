-- What a policy does to records before it deletes them: values of the audit trail are redacted, ended access is anonymised
-- (docs/adr/0059-redact-and-anonymise.md). Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ which records have such a step
-- action -> two boolean expressions over a row (alias r): `left`, something is left to do; `free`, nothing in use needs the row as it is.
ALTER TABLE governed_tables ADD COLUMN steps jsonb NOT NULL DEFAULT '{}';

UPDATE governed_tables SET steps = '{"redact": {"left": "r.nonce IS NOT NULL AND coalesce(r.actor, r.client) IS NOT NULL", "free": "true"}}'
  WHERE table_name = 'audit_events';

-- Free as for deletion, but for rows that refer to it: it stays. Somebody from an identity provider is known by their subject, and the next
-- sign-in would make them anew, not disabled.
UPDATE governed_tables g SET steps = jsonb_build_object('anonymise', jsonb_build_object('left', said.remaining, 'free', said.free))
  FROM (VALUES
    ('api_key_versions', $$r.name <> 'erased'$$,
     $$EXISTS (SELECT FROM api_keys k WHERE k.organization_id = r.organization_id AND k.key_id = r.key_id
         AND least(k.expires_at, k.revoked_at, k.retires_at) < now() - interval '1 day')$$),
    ('api_keys', $$r.name <> 'erased'$$, $$least(r.expires_at, r.revoked_at, r.retires_at) < now() - interval '1 day'$$),
    ('agent_clients', $$r.client_id NOT LIKE 'erased:%'$$, 'r.revoked_at IS NOT NULL'),
    ('grants', $$r.subject NOT LIKE 'erased:%'$$,
     $$NOT EXISTS (SELECT FROM grants g WHERE g.organization_id = r.organization_id AND g.grant_id = r.grant_id AND least(g.expires_at, g.revoked_at) >= now())$$),
    ('group_delegations', $$r.grantee NOT LIKE 'erased:%'$$, 'least(r.expires_at, r.revoked_at) < now()'),
    ('staff_persons', $$r.name <> 'erased'$$, 'r.disabled_at IS NOT NULL AND r.issuer IS NULL')
  ) AS said (table_name, remaining, free) WHERE g.table_name = said.table_name;

-- As before (migration 21), and for each step whether something is left and whether the row is in use.
DROP FUNCTION retained_records(text, text);
CREATE FUNCTION retained_records(p_category text, p_record text)
  RETURNS TABLE (table_name name, rooftops text[], subjects text[], clocks jsonb, is_record boolean, disposable boolean, holds jsonb, steps jsonb)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  g        governed_tables;
  readings text;
  steps    text;
BEGIN
  FOR g IN SELECT * FROM governed_tables t WHERE t.category = p_category ORDER BY t.ordinal, t.table_name LOOP
    SELECT string_agg(format('%L, floor(extract(epoch FROM (%s)) * 1000)::bigint', key, value), ', ' ORDER BY key) INTO readings FROM jsonb_each_text(g.clocks);
    SELECT string_agg(format('%L, jsonb_build_object(''left'', coalesce((%s), false), ''inUse'', NOT coalesce((%s), false))', key, value ->> 'left', value ->> 'free'), ', ' ORDER BY key)
      INTO steps FROM jsonb_each(g.steps);
    RETURN QUERY EXECUTE format(
      'SELECT %L::name, (%s), (%s), jsonb_build_object(%s), coalesce((%s), false), coalesce((%s), false),
         (SELECT coalesce(jsonb_agg(jsonb_build_object(''holdId'', h.hold_id, ''counting'', h.covered IS NULL, ''categories'', h.categories,
                   ''recordIds'', h.record_ids, ''rooftopIds'', h.rooftop_ids, ''subjects'', h.subjects,
                   ''from'', floor(extract(epoch FROM h.from_time) * 1000)::bigint, ''until'', ceil(extract(epoch FROM h.until_time) * 1000)::bigint,
                   ''releasedAt'', floor(extract(epoch FROM h.released_at) * 1000)::bigint, ''freeFrom'', ceil(extract(epoch FROM h.free_from) * 1000)::bigint)
                   ORDER BY h.hold_id), ''[]'')
          FROM legal_holds h WHERE h.organization_id = r.organization_id AND hold_binds(h, NULL)
            AND (h.covered IS NULL OR hold_covers(h, %L, %s, %s, %s, %s))), jsonb_build_object(%s)
       FROM %I r WHERE r.organization_id = current_tenant() AND (%s) = $1',
      g.table_name, g.rooftops, g.subjects, readings, g.applies, g.disposable,
      g.category, g.record_id, g.rooftops, g.subjects, g.clocks ->> 'created', coalesce(steps, ''), g.table_name, g.record_id) USING p_record;
  END LOOP;
END
$$;

-- ------------------------------------------------------------------------------------------------ what is over
-- The cutoffs by which a run deletes of one category.
CREATE OR REPLACE FUNCTION run_cutoffs(p_run retention_runs, p_category text) RETURNS SETOF jsonb LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT c FROM jsonb_array_elements(p_run.cutoffs) AS c WHERE c ->> 'category' = p_category AND c ->> 'action' = 'delete' $$;

-- Which records of the trail a cut leaves, told by their time: from `from` on, but for those of the rows `first` to `last`, which were numbered
-- before others and recorded after them. Null where nothing is cut.
CREATE FUNCTION audit_rest(p_cutoffs jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  cut   record;
  since timestamptz;
BEGIN
  SELECT * INTO cut FROM audit_cut(p_cutoffs);
  IF cut.min_index = cut.from_index THEN
    RETURN NULL;
  END IF;
  SELECT coalesce(min(k.recorded_at), 'infinity') INTO since FROM audit_entries k WHERE k.organization_id = current_tenant() AND k.seq >= cut.min_index;
  RETURN jsonb_build_object('from', since, 'last', cut.min_index - 1, 'first', (SELECT coalesce(min(k.seq), cut.min_index) FROM audit_entries k
    WHERE k.organization_id = current_tenant() AND k.seq >= cut.from_index AND k.seq < cut.min_index AND k.recorded_at >= since));
END
$$;

-- A governed table as one action reads it: for a step, its records are those with something left to do, and what the same run deletes (`end`, the
-- cutoffs; `rest`, what a cut of the trail leaves) is not changed before.
CREATE FUNCTION read_for(g governed_tables, p_cutoffs jsonb) RETURNS governed_tables LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  step jsonb := g.steps -> (p_cutoffs ->> 'action');
  rest jsonb := nullif(p_cutoffs -> 'rest', 'null');
BEGIN
  IF p_cutoffs ->> 'action' = 'delete' THEN
    RETURN g;
  END IF;
  IF step IS NULL THEN
    RAISE EXCEPTION 'nothing of % is to %', g.table_name, p_cutoffs ->> 'action' USING ERRCODE = 'restrict_violation';
  END IF;
  g.applies := format('(%s) AND (%s)', g.applies, step ->> 'left');
  g.disposable := step ->> 'free';
  IF nullif(p_cutoffs -> 'end', 'null') IS NOT NULL THEN
    g.applies := format('%s AND NOT coalesce((%s), false)', g.applies, over_condition(g, p_cutoffs -> 'end'));
  END IF;
  IF rest IS NOT NULL THEN
    g.applies := format('%s AND r.recorded_at >= %L::timestamptz AND (r.recorded_at, r.event_id) NOT IN (SELECT k.recorded_at, k.event_id FROM audit_entries k
      WHERE k.organization_id = $1 AND k.seq BETWEEN %s AND %s AND k.recorded_at >= %L::timestamptz)',
      g.applies, rest ->> 'from', (rest ->> 'first')::bigint, (rest ->> 'last')::bigint, rest ->> 'from');
  END IF;
  RETURN g;
END
$$;

-- What a batch does to those of `scanned` that nothing keeps: the common table `gone` has the place of each.
--   $8 the redaction that its record in the log names
CREATE FUNCTION taking_clause(g governed_tables, p_action text) RETURNS text LANGUAGE sql STABLE SET search_path = forecourt, pg_temp AS $$
  SELECT CASE p_action
    WHEN 'delete' THEN format('gone AS (DELETE FROM %I r WHERE r.organization_id = $1 AND r.ctid = ANY (ARRAY(SELECT place FROM scanned WHERE holds IS NULL AND free))
      RETURNING r.ctid AS place),', g.table_name)
    -- Actor, client and nonce together, as every redaction (migration 17); what went is noted from the rows as they were.
    WHEN 'redact' THEN $taking$gone AS (
      UPDATE audit_events e SET actor = NULL, client = NULL, nonce = NULL FROM scanned s
      WHERE e.organization_id = $1 AND e.recorded_at = s.clock AND e.event_id = s.id AND s.holds IS NULL AND s.free RETURNING s.place
    ), noted AS (
      INSERT INTO audit_redacted_records (organization_id, recorded_at, event_id, redaction_id, fields)
      SELECT $1, e.recorded_at, e.event_id, $8, array_remove(ARRAY[CASE WHEN e.actor IS NOT NULL THEN 'actor' END, CASE WHEN e.client IS NOT NULL THEN 'client' END], NULL)
      FROM scanned s JOIN audit_events e ON e.organization_id = $1 AND e.recorded_at = s.clock AND e.event_id = s.id WHERE s.holds IS NULL AND s.free
    ),$taking$
    -- As an erasure of the person would (migration 26). The mark is of the record, so that nothing joins two of them.
    WHEN 'anonymise' THEN format('gone AS (UPDATE %I r SET %s FROM scanned s WHERE r.organization_id = $1 AND r.ctid = s.place AND s.holds IS NULL AND s.free RETURNING s.place),',
      g.table_name, (SELECT replace(p.erases, ':mark', '(''erased:'' || encode(sha256(convert_to(s.id, ''UTF8'')), ''hex''))') FROM subject_places p
                     WHERE p.table_name = g.table_name AND p.erases NOT IN ('DELETE', 'REDACT', 'KEEP')))
  END $$;

-- As before (migration 41). What a batch takes it does by the action of the cutoffs; places of rows of several months are told apart.
CREATE OR REPLACE FUNCTION slice_query(g governed_tables, p_cutoffs jsonb, p_deleting boolean, p_starting boolean, p_holds boolean)
  RETURNS text LANGUAGE sql STABLE SET search_path = forecourt, pg_temp AS $$
  SELECT format($query$
    WITH scanned AS MATERIALIZED (
      SELECT %14$s AS place, (%1$s) AS clock, (%2$s) COLLATE "C" AS id, (%3$s) AS rooftops, coalesce((%4$s), false) AS free, %5$s AS holds
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
    CASE WHEN p_deleting THEN taking_clause(g, p_cutoffs ->> 'action') ELSE '' END,
    CASE WHEN p_deleting THEN 'AND s.place IN (SELECT gone.place FROM gone)' ELSE '' END,
    g.category || E'\n',
    CASE WHEN p_holds THEN $held$(SELECT coalesce(jsonb_object_agg(hold, many), '{}') FROM (SELECT hold, count(*) AS many FROM scanned, unnest(holds) AS hold GROUP BY 1) AS by_hold)$held$ ELSE $held$'{}'::jsonb$held$ END,
    CASE p_cutoffs ->> 'action' WHEN 'redact' THEN $place$(r.tableoid::bigint || ' ' || r.ctid::text)$place$ ELSE 'r.ctid' END) $$;

-- ------------------------------------------------------------------------------------------------ previews
-- As before (migration 29), of the tables of which the action takes something.
DROP FUNCTION retention_sizes(text);
CREATE FUNCTION retention_sizes(p_category text, p_action text DEFAULT 'delete') RETURNS TABLE (part text, records bigint)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  g governed_tables;
BEGIN
  FOR g IN SELECT * FROM governed_tables t WHERE t.category = p_category AND (p_action = 'delete' OR t.steps ? p_action) ORDER BY t.ordinal, t.table_name LOOP
    RETURN QUERY EXECUTE format('SELECT %L, count(*) FROM %I r WHERE r.organization_id = $1 AND (%s)', g.table_name, g.table_name, g.applies) USING current_tenant();
  END LOOP;
END
$$;

-- As before (migration 29), for the action of the cutoffs.
CREATE OR REPLACE FUNCTION preview_slice(p_run text, p_part name, p_cutoffs jsonb, p_after jsonb, p_most integer)
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
  g := read_for(g, p_cutoffs);
  SELECT hash_key INTO STRICT key FROM retention_runs WHERE organization_id = current_tenant() AND run_id = p_run;
  EXECUTE slice_query(g, p_cutoffs, false, p_after IS NULL, EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = current_tenant() AND hold_binds(h, NULL)))
    INTO s USING current_tenant(), p_most, (p_after ->> 'clock')::timestamptz, p_after ->> 'id', NULL::timestamptz, hmac_pad(key, 54), hmac_pad(key, 92);
  RETURN QUERY SELECT s.hashes, s.held_at, s.used_at, s.rooftops, s.holds, s.first, s.last,
    CASE WHEN s.scanned = p_most THEN jsonb_build_object('clock', s.last_clock, 'id', s.last_id) END;
END
$$;

-- ------------------------------------------------------------------------------------------------ batches
ALTER TABLE retention_batches ADD COLUMN action text NOT NULL DEFAULT 'delete' CHECK (action IN ('delete', 'redact', 'anonymise'));

-- As before (migration 29). Each action of a category has its own evidence and its own cursor.
DROP FUNCTION end_retention_batch(retention_runs, text, text, jsonb, integer, bytea, integer, integer, jsonb, jsonb, text, text);
CREATE FUNCTION end_retention_batch(p_run retention_runs, p_category text, p_part text, p_position jsonb, p_taken integer, p_digest bytea, p_held integer,
                                    p_failed integer, p_rooftops jsonb, p_holds jsonb, p_first text, p_last text, p_action text DEFAULT 'delete') RETURNS void
  LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  lane text := CASE p_action WHEN 'delete' THEN p_category ELSE p_category || '/' || p_action END;
BEGIN
  IF p_run.taken + p_taken > coalesce((p_run.preview ->> 'over')::bigint, 0) * 1.01 THEN
    RAISE EXCEPTION 'retention run not in force: live_set' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'retention_run', DETAIL = 'live_set';
  END IF;
  INSERT INTO retention_batches (organization_id, run_id, number, category, part, taken, held, failed, rooftops, holds, first_record, last_record, digest, action)
    VALUES (p_run.organization_id, p_run.run_id, p_run.batches + 1, p_category, p_part, p_taken, p_held, p_failed, p_rooftops, p_holds, p_first, p_last, p_digest, p_action);
  UPDATE retention_runs r SET position = r.position || jsonb_build_object(lane, p_position), batches = r.batches + 1, taken = r.taken + p_taken,
      held = r.held + p_held, failed = r.failed + p_failed, last_batch_at = clock_timestamp(), heartbeat_at = clock_timestamp(),
      lease_until = clock_timestamp() + interval '30 seconds'
    WHERE r.organization_id = p_run.organization_id AND r.run_id = p_run.run_id;
END
$$;

-- A redaction by the policy: the transaction has to record it with this ground and this hash (require_redaction_record).
ALTER TABLE audit_redactions DROP CONSTRAINT audit_redactions_ground_check;
ALTER TABLE audit_redactions ADD CONSTRAINT audit_redactions_ground_check
  CHECK (ground IN ('erasure_request', 'recorded_in_error', 'court_order', 'retention_policy'));
CREATE FUNCTION note_policy_redaction(p_redaction text, p_records integer) RETURNS text LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  digest text;
BEGIN
  SELECT encode(sha256(convert_to(E'retention_policy\n' || string_agg(k.event_id || ' ' || array_to_string(k.fields, ','), E'\n'
           ORDER BY k.event_id COLLATE "C", k.recorded_at), 'UTF8')), 'hex') INTO digest
    FROM audit_redacted_records k WHERE k.organization_id = current_tenant() AND k.redaction_id = p_redaction;
  INSERT INTO audit_redactions (organization_id, redaction_id, scope, ground, records, content_hash)
    VALUES (current_tenant(), p_redaction, 'record', 'retention_policy', p_records, digest);
  RETURN digest;
END
$$;

-- As before (migration 29), for one action of a category.
--   p_redaction   of `redact`: the id of the audit record that the transaction makes where content_hash is not null
DROP FUNCTION dispose_batch(text, integer, text, integer);
CREATE FUNCTION dispose_batch(p_run text, p_lease integer, p_category text, p_most integer, p_action text DEFAULT 'delete', p_redaction text DEFAULT NULL)
  RETURNS TABLE (kind text, part text, hashes bytea, held_at integer[], used_at integer[], rooftops jsonb, holds jsonb, first text, last text, finished boolean, content_hash text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  run      retention_runs := begin_retention_batch(p_run, p_lease, p_most);
  cutoffs  jsonb := (SELECT c FROM jsonb_array_elements(run.cutoffs) AS c WHERE c ->> 'category' = p_category AND c ->> 'action' = p_action);
  at       jsonb := coalesce(run.position -> CASE p_action WHEN 'delete' THEN p_category ELSE p_category || '/' || p_action END, '{}');
  after    jsonb := at -> 'after';
  g        governed_tables;
  next     governed_tables;
  s        record;
  binding  boolean;
  blocking text;
  refusing text;
BEGIN
  IF cutoffs IS NULL OR (p_action = 'redact') <> (p_redaction IS NOT NULL) THEN
    RAISE EXCEPTION 'the run does not % anything of %', p_action, p_category USING ERRCODE = 'restrict_violation';
  END IF;
  IF EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = run.organization_id AND h.covered IS NULL) THEN
    RETURN QUERY SELECT 'waiting', NULL, ''::bytea, '{}'::integer[], '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, false, NULL;
    RETURN;
  END IF;
  SELECT * INTO g FROM governed_tables t WHERE t.category = p_category AND (p_action = 'delete' OR t.steps ? p_action)
    AND (at ->> 'part' IS NULL OR t.table_name = at ->> 'part') ORDER BY t.ordinal, t.table_name LIMIT 1;
  IF g.table_name IS NULL OR (at ->> 'finished')::boolean THEN
    RETURN QUERY SELECT 'done', g.table_name::text, ''::bytea, '{}'::integer[], '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, true, NULL;
    RETURN;
  END IF;
  -- Of the trail nothing is there any more of what the run has pruned.
  g := read_for(g, CASE p_action WHEN 'anonymise' THEN cutoffs || jsonb_build_object('end', (SELECT c FROM run_cutoffs(run, p_category) AS c)) ELSE cutoffs END);
  binding := EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = run.organization_id AND hold_binds(h, run.approved_at));
  FOR attempt IN 1 .. 2 LOOP
    BEGIN
      EXECUTE slice_query(g, cutoffs, attempt = 1, coalesce(after, 'null') = 'null', binding) INTO s
        USING run.organization_id, p_most, (after ->> 'clock')::timestamptz, after ->> 'id', run.approved_at, hmac_pad(run.hash_key, 54), hmac_pad(run.hash_key, 92), p_redaction;
      EXIT;
    EXCEPTION WHEN restrict_violation OR foreign_key_violation THEN
      IF p_most > 1 THEN
        RETURN QUERY SELECT 'refused', g.table_name::text, ''::bytea, '{}'::integer[], '{}'::integer[], '{}'::jsonb, '{}'::jsonb, NULL, NULL, false, NULL;
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
  SELECT * INTO next FROM governed_tables t WHERE t.category = p_category AND (p_action = 'delete' OR t.steps ? p_action)
    AND (t.ordinal, t.table_name) > (g.ordinal, g.table_name) ORDER BY t.ordinal, t.table_name LIMIT 1;
  at := CASE WHEN s.scanned = p_most THEN jsonb_build_object('part', g.table_name, 'after', jsonb_build_object('clock', s.last_clock, 'id', s.last_id))
             WHEN next.table_name IS NOT NULL THEN jsonb_build_object('part', next.table_name)
             ELSE jsonb_build_object('part', g.table_name, 'finished', true) END;
  PERFORM end_retention_batch(run, p_category, g.table_name, at, length(s.gone_hashes) / 32, sha256(s.gone_hashes), cardinality(s.held_at), cardinality(s.used_at), s.rooftops, s.holds, s.first, s.last, p_action);
  RETURN QUERY SELECT 'done', g.table_name::text, s.hashes, s.held_at, s.used_at, s.rooftops, s.holds, s.first, s.last, (at ->> 'finished') IS NOT NULL,
    CASE WHEN p_action = 'redact' AND s.gone_hashes <> '' THEN note_policy_redaction(p_redaction, length(s.gone_hashes) / 32) END;
END
$$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION retention_sizes(text, text) OWNER TO forecourt_retention;
ALTER FUNCTION dispose_batch(text, integer, text, integer, text, text) OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;
REVOKE EXECUTE ON FUNCTION retained_records(text, text), audit_rest(jsonb), read_for(governed_tables, jsonb), taking_clause(governed_tables, text),
  retention_sizes(text, text), note_policy_redaction(text, integer), dispose_batch(text, integer, text, integer, text, text),
  end_retention_batch(retention_runs, text, text, jsonb, integer, bytea, integer, integer, jsonb, jsonb, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_for(governed_tables, jsonb), taking_clause(governed_tables, text), note_policy_redaction(text, integer),
  end_retention_batch(retention_runs, text, text, jsonb, integer, bytea, integer, integer, jsonb, jsonb, text, text, text) TO forecourt_retention;
GRANT EXECUTE ON FUNCTION retained_records(text, text), audit_rest(jsonb), retention_sizes(text, text), dispose_batch(text, integer, text, integer, text, text) TO forecourt_app;
