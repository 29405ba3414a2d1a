-- What an organization allows agents: grants, the group delegations that may stand behind them, and keys that carry one
-- (decision record 0023; DAP security profile §4).

-- A group-level delegation, recorded on its own: without one a grant names its rooftops one by one.
CREATE TABLE group_delegations (
  organization_id text NOT NULL REFERENCES organizations,
  delegation_id   text NOT NULL CHECK (delegation_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  issuer          text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 128),
  grantee         text NOT NULL CHECK (grantee ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'),
  covers          text NOT NULL CHECK (covers IN ('listed', 'all')),
  rooftop_ids     text[] NOT NULL,
  scopes          text[] NOT NULL,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  expires_at      timestamptz(6) NOT NULL,
  revoked_at      timestamptz(6),
  CHECK ((covers = 'listed') = (cardinality(rooftop_ids) > 0)),
  PRIMARY KEY (organization_id, delegation_id)
);

-- Versions of a grant never change; the newest one counts. Revocation ends all of them.
CREATE TABLE grants (
  organization_id text NOT NULL REFERENCES organizations,
  grant_id        text NOT NULL CHECK (grant_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  version         integer NOT NULL CHECK (version >= 1),
  subject         text NOT NULL CHECK (subject ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'),
  rooftop_ids     text[] NOT NULL,
  delegation_id   text,
  profiles        text[] NOT NULL,
  scopes          text[] NOT NULL,
  purposes        text[] NOT NULL,
  issuer          text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 128),
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  expires_at      timestamptz(6) NOT NULL,
  revoked_at      timestamptz(6),
  CHECK ((delegation_id IS NULL) = (cardinality(rooftop_ids) > 0)),
  PRIMARY KEY (organization_id, grant_id, version),
  FOREIGN KEY (organization_id, delegation_id) REFERENCES group_delegations
);

-- The newest version of this grant says what the holder may do. Null for keys of staff.
ALTER TABLE api_keys ADD COLUMN grant_id text;

-- A second lock beside the rights below: whoever may update still changes nothing but an open end, once.
CREATE FUNCTION only_revocation() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF to_jsonb(NEW) - 'revoked_at' <> to_jsonb(OLD) - 'revoked_at'
     OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) THEN
    RAISE EXCEPTION 'a recorded % is never changed, only revoked', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_revocation BEFORE UPDATE ON grants FOR EACH ROW EXECUTE FUNCTION only_revocation();
CREATE TRIGGER only_revocation BEFORE UPDATE ON group_delegations FOR EACH ROW EXECUTE FUNCTION only_revocation();

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['group_delegations', 'grants']) AS t;
GRANT SELECT, INSERT, UPDATE (revoked_at) ON group_delegations, grants TO forecourt_app;

-- As before, and with the grant. Only this look-up happens before the tenant is known: the grant itself is read inside it.
DROP FUNCTION find_api_key(text);
CREATE FUNCTION find_api_key(p_key_id text)
  RETURNS TABLE (key_id text, organization_id text, name text, role text, secret_hash bytea, grant_id text, expires_at timestamptz, revoked_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT k.key_id, k.organization_id, k.name, k.role, k.secret_hash, k.grant_id, k.expires_at, k.revoked_at FROM api_keys k WHERE k.key_id = p_key_id $$;

REVOKE EXECUTE ON FUNCTION find_api_key(text), only_revocation() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(text) TO forecourt_app;
