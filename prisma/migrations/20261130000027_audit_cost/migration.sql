-- What a record costs where it is written, and where numbering looks (docs/adr/0050-what-the-audit-trail-costs.md). Runs as
-- forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ append
-- A list of texts out of JSON. PostgreSQL writes a list without escapes as it writes an array, but for the brackets: taking it
-- apart element by element costs three times as much.
CREATE FUNCTION audit_texts_of(p_list jsonb) RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT ARRAY(SELECT jsonb_array_elements_text(p_list)) $$;

-- The only way into the trail: the application itself may not insert any more, so that typed columns cannot be anything but what
-- the canonical bytes say. Closed lists are held here and not by CHECK, which is parsed anew for every statement: any other word is
-- null, which the column refuses. Runs as forecourt_owner, for whom row-level security holds as for everybody.
CREATE OR REPLACE FUNCTION append_audit(p_organization text, p_lines text) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  appended     integer;
BEGIN
  IF to_regclass('forecourt.audit_events_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')) IS NULL THEN
    PERFORM ensure_audit_partitions(3);
  END IF;
  IF outer_tenant <> p_organization THEN
    PERFORM set_config('app.tenant', p_organization, true);
  END IF;
  INSERT INTO audit_events (event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client,
                            rooftop_ids, resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, before_hash, after_hash,
                            canon, nonce)
  SELECT j ->> 1, j ->> 3, (j ->> 2)::timestamptz, j ->> 4, j ->> 5, j ->> 6, j ->> 7, j ->> 8, nullif(part[2], ''), nullif(part[3], ''),
         CASE WHEN strpos(rooftops, '\') = 0 THEN ('{' || substr(rooftops, 2, length(rooftops) - 2) || '}')::text[] ELSE audit_texts_of(j -> 11) END,
         CASE WHEN strpos(resources, '\') = 0 THEN ('{' || substr(resources, 2, length(resources) - 2) || '}')::text[] ELSE audit_texts_of(j -> 12) END,
         CASE WHEN j ->> 13 IN ('allow', 'deny') THEN j ->> 13 END, j ->> 14, j ->> 15,
         CASE WHEN j ->> 16 IN ('succeeded', 'failed', 'denied') THEN j ->> 16 END, j ->> 17, j ->> 18, j ->> 19, j ->> 20,
         convert_to(part[4], 'UTF8'), decode(part[1], 'hex')
  FROM (SELECT part, j, j ->> 11 AS rooftops, j ->> 12 AS resources
        FROM (SELECT part, part[4]::jsonb AS j
              FROM (SELECT string_to_array(line, E'\t') AS part FROM string_to_table(p_lines, E'\n') AS line OFFSET 0) AS split
              OFFSET 0) AS parsed
        OFFSET 0) AS lists;
  GET DIAGNOSTICS appended = ROW_COUNT;
  IF outer_tenant <> p_organization THEN
    PERFORM set_config('app.tenant', outer_tenant, true);
  END IF;
  RETURN appended;
END
$$;
ALTER TABLE audit_events DROP CONSTRAINT audit_events_decision_check, DROP CONSTRAINT audit_events_outcome_check;
REVOKE INSERT (event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client, rooftop_ids,
  resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, before_hash, after_hash, canon, nonce) ON audit_events FROM forecourt_app;

-- ------------------------------------------------------------------------------------------------ numbering
-- How far numbering is behind, in seconds; null when it is not. Looks at the beginning of what has no number yet, by transaction:
-- asked for the least time of all, the planner read the trail from its first record on once it had been analysed.
CREATE OR REPLACE FUNCTION audit_lag_seconds() RETURNS double precision
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT extract(epoch FROM clock_timestamp() - min(recorded_at))::double precision
        FROM (SELECT recorded_at FROM audit_events WHERE xid >= (SELECT pos FROM audit_horizon) ORDER BY xid LIMIT 1000) AS first $$;

-- Whatever the planner knows or does not know of a trail that grows all day: what is numbered is found by its transaction.
ALTER FUNCTION sequence_audit(integer) SET enable_seqscan = off;

REVOKE EXECUTE ON FUNCTION audit_texts_of(jsonb) FROM PUBLIC;
