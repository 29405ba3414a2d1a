-- What role a person had when, and which grant an agent client carried when, so that an access review is right for past dates
-- (docs/adr/0064-access-history.md). Runs as forecourt_owner with search_path = forecourt.

-- Rows are only ever added, by the triggers below, whoever changes a person or a client: staff, a sign-in, a restore, an erasure.
CREATE TABLE staff_person_versions (
  organization_id text NOT NULL REFERENCES organizations,
  person_id       text NOT NULL,
  version         integer NOT NULL CHECK (version >= 1),
  role            text NOT NULL CHECK (role IN ('admin', 'compliance', 'auditor', 'none')),
  disabled_at     timestamptz(3),
  created_at      timestamptz(3) NOT NULL, -- from when on it was like this
  PRIMARY KEY (organization_id, person_id, version)
);
CREATE TABLE agent_client_versions (
  organization_id text NOT NULL REFERENCES organizations,
  agent_client_id text NOT NULL,
  version         integer NOT NULL CHECK (version >= 1),
  grant_id        text,
  created_at      timestamptz(6) NOT NULL,
  PRIMARY KEY (organization_id, agent_client_id, version)
);

-- ------------------------------------------------------------------------------------------------ what is known of before
-- A first version is what it was from the beginning. Of a later one only the present is known: what was before stays unknown.
-- Each tenant in turn: row-level security holds for the owner, too.
DO $$
DECLARE
  tenant text;
BEGIN
  FOR tenant IN SELECT organization_id FROM organizations LOOP
    PERFORM set_config('app.tenant', tenant, true);
    INSERT INTO staff_person_versions (organization_id, person_id, version, role, disabled_at, created_at)
      SELECT organization_id, person_id, version, role, disabled_at, CASE version WHEN 1 THEN created_at ELSE updated_at END
      FROM staff_persons WHERE organization_id = tenant;
    -- The revocation of a client is a version too, and changes no grant.
    INSERT INTO agent_client_versions (organization_id, agent_client_id, version, grant_id, created_at)
      SELECT organization_id, agent_client_id, version, grant_id,
             CASE WHEN version - (revoked_at IS NOT NULL)::integer <= 1 THEN created_at ELSE least(revoked_at, now()) END
      FROM agent_clients WHERE organization_id = tenant;
  END LOOP;
  PERFORM set_config('app.tenant', '', true);
END
$$;

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['staff_person_versions', 'agent_client_versions']) AS t;

-- ------------------------------------------------------------------------------------------------ how it goes on
CREATE FUNCTION note_person_version() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
BEGIN
  PERFORM set_config('app.tenant', NEW.organization_id, true);
  INSERT INTO staff_person_versions (organization_id, person_id, version, role, disabled_at, created_at)
    VALUES (NEW.organization_id, NEW.person_id, NEW.version, NEW.role, NEW.disabled_at, NEW.updated_at) ON CONFLICT DO NOTHING;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN NULL;
END
$$;
CREATE TRIGGER note_version_on_insert AFTER INSERT ON staff_persons FOR EACH ROW EXECUTE FUNCTION note_person_version();
CREATE TRIGGER note_version AFTER UPDATE ON staff_persons FOR EACH ROW
  WHEN (OLD.role <> NEW.role OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at) EXECUTE FUNCTION note_person_version();

CREATE FUNCTION note_client_version() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
BEGIN
  PERFORM set_config('app.tenant', NEW.organization_id, true);
  INSERT INTO agent_client_versions (organization_id, agent_client_id, version, grant_id, created_at)
    VALUES (NEW.organization_id, NEW.agent_client_id, NEW.version, NEW.grant_id,
            CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE greatest(clock_timestamp(), NEW.created_at) END) ON CONFLICT DO NOTHING;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN NULL;
END
$$;
CREATE TRIGGER note_version_on_insert AFTER INSERT ON agent_clients FOR EACH ROW EXECUTE FUNCTION note_client_version();
CREATE TRIGGER note_version AFTER UPDATE ON agent_clients FOR EACH ROW
  WHEN (OLD.grant_id IS DISTINCT FROM NEW.grant_id) EXECUTE FUNCTION note_client_version();

-- ------------------------------------------------------------------------------------------------ retention and persons
-- What is in force is never disposed of; a person or client goes after its versions.
SELECT govern_table('staff_person_versions', 'access_history', $$r.person_id || '@' || r.version$$, $$'{}'::text[]$$, 'ARRAY[r.person_id]',
  jsonb_build_object('created', 'r.created_at',
    'last_used', '(SELECT coalesce(min(v.created_at), r.disabled_at, now()) FROM staff_person_versions v WHERE v.organization_id = r.organization_id AND v.person_id = r.person_id AND v.version > r.version)',
    'closed', '(SELECT coalesce(min(v.created_at), r.disabled_at) FROM staff_person_versions v WHERE v.organization_id = r.organization_id AND v.person_id = r.person_id AND v.version > r.version)'),
  p_disposable => $$EXISTS (SELECT FROM staff_person_versions v WHERE v.organization_id = r.organization_id AND v.person_id = r.person_id AND v.version > r.version)
    OR EXISTS (SELECT FROM staff_persons p WHERE p.organization_id = r.organization_id AND p.person_id = r.person_id AND p.disabled_at IS NOT NULL)$$);
SELECT govern_table('agent_client_versions', 'access_history', $$r.agent_client_id || '@' || r.version$$, 'NULL::text[]', 'ARRAY[r.agent_client_id]',
  jsonb_build_object('created', 'r.created_at',
    'last_used', '(SELECT coalesce(min(v.created_at), (SELECT c.revoked_at FROM agent_clients c WHERE c.organization_id = r.organization_id AND c.agent_client_id = r.agent_client_id), now()) FROM agent_client_versions v WHERE v.organization_id = r.organization_id AND v.agent_client_id = r.agent_client_id AND v.version > r.version)',
    'closed', '(SELECT coalesce(min(v.created_at), (SELECT c.revoked_at FROM agent_clients c WHERE c.organization_id = r.organization_id AND c.agent_client_id = r.agent_client_id)) FROM agent_client_versions v WHERE v.organization_id = r.organization_id AND v.agent_client_id = r.agent_client_id AND v.version > r.version)'),
  p_disposable => $$EXISTS (SELECT FROM agent_client_versions v WHERE v.organization_id = r.organization_id AND v.agent_client_id = r.agent_client_id AND v.version > r.version)
    OR EXISTS (SELECT FROM agent_clients c WHERE c.organization_id = r.organization_id AND c.agent_client_id = r.agent_client_id AND c.revoked_at IS NOT NULL)$$);
UPDATE governed_tables SET disposable = disposable || $$
    AND NOT EXISTS (SELECT FROM staff_person_versions v WHERE v.organization_id = r.organization_id AND v.person_id = r.person_id)$$
  WHERE table_name = 'staff_persons';
UPDATE governed_tables SET ordinal = 10, disposable = disposable || $$
    AND NOT EXISTS (SELECT FROM agent_client_versions v WHERE v.organization_id = r.organization_id AND v.agent_client_id = r.agent_client_id)$$
  WHERE table_name = 'agent_clients';
INSERT INTO subject_places (place, table_name, category, record_id, clocks, found, said, erases, keeps) VALUES
  ('staff_person_versions', 'staff_person_versions', 'access_history', 'r.person_id || ''@'' || r.version', '{"created":"r.created_at"}',
   'r.person_id = ANY (subject_names(:names, ''person''))',
   'jsonb_build_object(''role'', r.role, ''from'', r.created_at, ''disabled_at'', r.disabled_at)',
   'KEEP', 'pseudonymous id; who had which role when'),
  ('agent_client_versions', 'agent_client_versions', 'access_history', 'r.agent_client_id || ''@'' || r.version', '{"created":"r.created_at"}',
   'r.agent_client_id = ANY (subject_names(:names, ''client''))',
   'jsonb_build_object(''grant_id'', r.grant_id, ''from'', r.created_at)',
   'KEEP', 'pseudonymous id; which grant a client carried when');

-- ------------------------------------------------------------------------------------------------ rights
GRANT SELECT ON staff_person_versions, agent_client_versions TO forecourt_app, forecourt_retention;
REVOKE EXECUTE ON FUNCTION note_person_version(), note_client_version() FROM PUBLIC;
