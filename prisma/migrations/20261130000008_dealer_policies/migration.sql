-- Dealer policy: what an organization shows without a grant, withholds and asks of its feeds. Drafted, approved by a second
-- person, published as versions; the highest version is in force (decision record 0034).

CREATE TABLE policy_versions (
  organization_id text NOT NULL REFERENCES organizations,
  version         integer NOT NULL CHECK (version >= 1),
  document        jsonb NOT NULL,
  content_hash    text NOT NULL CHECK (content_hash ~ '^[a-f0-9]{64}$'), -- SHA-256 of the canonical document
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  approval_id     text NOT NULL CHECK (length(approval_id) BETWEEN 1 AND 128),
  approvers       text[] NOT NULL,
  restores        integer CHECK (restores >= 1 AND restores < version), -- the older version that this one publishes again
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, version)
);

CREATE TABLE policy_drafts (
  organization_id text NOT NULL REFERENCES organizations,
  draft_id        text NOT NULL CHECK (length(draft_id) BETWEEN 1 AND 128),
  revision        integer NOT NULL DEFAULT 1 CHECK (revision >= 1),
  base_version    integer NOT NULL CHECK (base_version >= 0), -- the version in force that it was written against; 0: none
  document        jsonb NOT NULL,
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  published_as    integer CHECK (published_as >= 1),
  created_at      timestamptz(3) NOT NULL,
  updated_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, draft_id)
);

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['policy_versions', 'policy_drafts']) AS t;
GRANT SELECT, INSERT ON policy_versions TO forecourt_app; -- history: never changed, never removed by the application
GRANT SELECT, INSERT, UPDATE ON policy_drafts TO forecourt_app;

-- How lists name tools for the holder of a grant; null: as the path says.
ALTER TABLE grants ADD COLUMN tool_names text CHECK (tool_names IN ('dotted', 'underscore'));
