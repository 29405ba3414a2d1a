-- The tables of identity that the access snapshot is read from, beside those of migration 11, and what a key look-up gives for
-- a whole organization. Runs as forecourt_owner with search_path = forecourt.

SELECT track_access_table('agent_clients'), track_access_table('trusted_issuers'), track_access_table('policy_versions');
SELECT track_revocations('agent_clients', 'agent_client', 'agent_client_id'), track_revocations('staff_persons', 'person', 'person_id', 'disabled_at');

-- A version alone says too little where a database is put back or made anew: the moment of the change tells them apart.
DROP FUNCTION access_versions_of(text[]);
CREATE FUNCTION access_versions_of(p_organizations text[]) RETURNS TABLE (organization_id text, version bigint, changed_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT v.organization_id, v.version, v.changed_at FROM access_versions v WHERE v.organization_id = ANY (p_organizations) $$;

-- As find_api_key, for all keys of the tenant that are in use or ended lately.
CREATE FUNCTION api_keys_of_tenant()
  RETURNS TABLE (key_id text, organization_id text, name text, role text, secret_hash bytea, grant_id text, expires_at timestamptz, revoked_at timestamptz,
                 retires_at timestamptz, scopes text[], networks text[], organization_state text)
  LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT k.key_id, k.organization_id, k.name, k.role, k.secret_hash, k.grant_id, k.expires_at, k.revoked_at,
               k.retires_at, k.scopes, k.networks, o.state
        FROM api_keys k JOIN organizations o ON o.organization_id = k.organization_id
        WHERE k.organization_id = current_tenant()
          AND coalesce(least(k.expires_at, k.revoked_at, k.retires_at), 'infinity') > now() - interval '1 day' $$;

REVOKE EXECUTE ON FUNCTION access_versions_of(text[]), api_keys_of_tenant() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION access_versions_of(text[]), api_keys_of_tenant() TO forecourt_app;
