-- Whose tokens an organization accepts, and which OAuth client carries which grant (decision record 0031).

-- An authorization server that an organization trusts beside the embedded one, which needs no row. Never changed: another
-- way to its keys is another row.
CREATE TABLE trusted_issuers (
  organization_id          text NOT NULL REFERENCES organizations,
  trusted_issuer_id        text NOT NULL CHECK (trusted_issuer_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  issuer                   text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 512),
  jwks_uri                 text CHECK (length(jwks_uri) BETWEEN 1 AND 1024),
  algorithms               text[] NOT NULL CHECK (cardinality(algorithms) > 0 AND algorithms <@ ARRAY['RS256', 'PS256', 'ES256']),
  introspection_endpoint   text CHECK (length(introspection_endpoint) BETWEEN 1 AND 1024),
  introspection_client_id  text CHECK (length(introspection_client_id) BETWEEN 1 AND 256),
  -- The name of a file, never the credential itself.
  introspection_credential text CHECK (introspection_credential ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  requires_dpop            boolean NOT NULL,
  created_at               timestamptz(6) NOT NULL DEFAULT now(),
  revoked_at               timestamptz(6),
  CHECK (num_nulls(introspection_endpoint, introspection_client_id, introspection_credential) IN (0, 3)),
  PRIMARY KEY (organization_id, trusted_issuer_id)
);
CREATE UNIQUE INDEX trusted_issuers_live ON trusted_issuers (organization_id, issuer) WHERE revoked_at IS NULL;
CREATE TRIGGER only_revocation BEFORE UPDATE ON trusted_issuers FOR EACH ROW EXECUTE FUNCTION only_revocation();

-- An OAuth client of an issuer, as the organization knows it. Without a grant it opens nothing.
CREATE TABLE agent_clients (
  organization_id text NOT NULL REFERENCES organizations,
  agent_client_id text NOT NULL CHECK (agent_client_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  version         integer NOT NULL CHECK (version >= 1),
  issuer          text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 512),
  client_id       text NOT NULL CHECK (length(client_id) BETWEEN 1 AND 512),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  grant_id        text,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  revoked_at      timestamptz(6),
  PRIMARY KEY (organization_id, agent_client_id)
);
CREATE UNIQUE INDEX agent_clients_live ON agent_clients (organization_id, issuer, client_id) WHERE revoked_at IS NULL;

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['agent_clients', 'trusted_issuers']) AS t;
GRANT SELECT, INSERT, UPDATE (revoked_at) ON trusted_issuers TO forecourt_app;
GRANT SELECT, INSERT, UPDATE (grant_id, version, revoked_at) ON agent_clients TO forecourt_app;
