-- What the embedded authorization server remembers: sign-ins under way, consents, codes, refresh tokens and registered clients
-- (decision record 0032). Before somebody has signed in no organization is known, so the rows belong to the platform as a
-- tenant of its own: the template hides them from every transaction of an organization.

CREATE TABLE authorization_records (
  organization_id text NOT NULL,                               -- always forecourt.platform
  kind            text NOT NULL CHECK (length(kind) BETWEEN 1 AND 60),
  id_hash         bytea NOT NULL CHECK (length(id_hash) = 32), -- SHA-256: codes and tokens are never here in clear
  payload         bytea NOT NULL,                              -- sealed with AES-256-GCM
  grant_hash      bytea CHECK (length(grant_hash) = 32),       -- what is revoked together
  uid_hash        bytea CHECK (length(uid_hash) = 32),
  consumed_at     timestamptz(6),
  used_at         timestamptz(6),                              -- first token of a registered client
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  expires_at      timestamptz(6) NOT NULL,
  PRIMARY KEY (organization_id, kind, id_hash)
);
CREATE INDEX authorization_records_by_grant ON authorization_records (organization_id, grant_hash) WHERE grant_hash IS NOT NULL;
CREATE INDEX authorization_records_by_uid ON authorization_records (organization_id, kind, uid_hash) WHERE uid_hash IS NOT NULL;
CREATE INDEX authorization_records_by_end ON authorization_records (organization_id, expires_at);

SELECT isolate_tenant_table('authorization_records');
GRANT SELECT, INSERT, UPDATE, DELETE ON authorization_records TO forecourt_app;
