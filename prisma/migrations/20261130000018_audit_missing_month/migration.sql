-- A month that nobody made ahead never stops a write: the first record of it makes its partition (docs/adr/0041). Runs as
-- forecourt_owner with search_path = forecourt. As before, and with the look for the month.
CREATE OR REPLACE FUNCTION append_audit(p_organization text, p_lines text) RETURNS integer
  LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  appended     integer;
BEGIN
  IF to_regclass('forecourt.audit_events_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')) IS NULL THEN
    PERFORM ensure_audit_partitions(3);
  END IF;
  PERFORM set_config('app.tenant', p_organization, true);
  INSERT INTO audit_events (event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client,
                            rooftop_ids, resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, before_hash, after_hash,
                            canon, nonce)
  SELECT j ->> 1, j ->> 3, (j ->> 2)::timestamptz, j ->> 4, j ->> 5, j ->> 6, j ->> 7, j ->> 8, nullif(part[2], ''), nullif(part[3], ''),
         ARRAY(SELECT jsonb_array_elements_text(j -> 11)), ARRAY(SELECT jsonb_array_elements_text(j -> 12)),
         j ->> 13, j ->> 14, j ->> 15, j ->> 16, j ->> 17, j ->> 18, j ->> 19, j ->> 20, convert_to(part[4], 'UTF8'), decode(part[1], 'hex')
  FROM (SELECT part, part[4]::jsonb AS j
        FROM (SELECT string_to_array(line, E'\t') AS part FROM string_to_table(p_lines, E'\n') AS line OFFSET 0) AS split
        OFFSET 0) AS parsed;
  GET DIAGNOSTICS appended = ROW_COUNT;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN appended;
END
$$;
