-- A sweep is a deletion like any other: it takes nothing before the floors of the policy in force (docs/adr/0045-what-is-stored.md).
-- Runs as forecourt_owner with search_path = forecourt.

-- The longest floor of a category in the tenant's retention policy in force, wherever it counts; zero where there is none.
CREATE FUNCTION longest_floor(p_category text) RETURNS interval LANGUAGE sql STABLE SET search_path = forecourt, pg_temp AS $$
  SELECT coalesce(max((f.floor ->> 'count')::integer * ('1 ' || (f.floor ->> 'unit'))::interval + coalesce((f.floor ->> 'plus_days')::integer, 0) * interval '1 day'), '0')
  FROM (SELECT v.document FROM retention_policy_versions v WHERE v.organization_id = current_tenant() ORDER BY v.version DESC LIMIT 1) AS active,
    LATERAL (SELECT rule -> 'floor' AS floor FROM jsonb_array_elements((active.document -> 'rules') || (active.document -> 'rooftops')) AS rule
             WHERE rule ->> 'category' = p_category AND jsonb_typeof(rule -> 'floor') = 'object') AS f $$;

-- As before, and not before the floor.
CREATE OR REPLACE FUNCTION sweep_idempotency_keys(p_kept interval, p_limit integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  held         text := held_condition('idempotency_keys');
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  tenant       text;
  earliest     interval;
  gone         integer;
  swept        integer := 0;
BEGIN
  FOR tenant IN SELECT DISTINCT k.organization_id FROM idempotency_keys k WHERE k.created_at < now() - p_kept ORDER BY 1 LOOP
    EXIT WHEN swept >= least(p_limit, 10000);
    CONTINUE WHEN NOT pg_try_advisory_xact_lock_shared(hold_lock_key(tenant));
    PERFORM set_config('app.tenant', tenant, true);
    earliest := longest_floor('idempotency_record');
    PERFORM set_config('app.tenant', '', true); -- outside the tenant, where this role sees no reply that is younger than a day
    EXECUTE format('DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
                      SELECT r.ctid FROM idempotency_keys r WHERE r.organization_id = $1 AND r.created_at < now() - $2 AND r.created_at < now() - $3 AND NOT %s
                      ORDER BY r.created_at LIMIT $4))', held) USING tenant, p_kept, earliest, least(p_limit, 10000) - swept;
    GET DIAGNOSTICS gone = ROW_COUNT;
    swept := swept + gone;
  END LOOP;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN swept;
END
$$;
REVOKE EXECUTE ON FUNCTION longest_floor(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION longest_floor(text) TO forecourt_retention;
