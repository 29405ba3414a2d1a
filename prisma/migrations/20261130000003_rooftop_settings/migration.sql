-- Rooftop settings have versions: what was in force when, who changed it and why. Snapshots remember the publication policy
-- that their serialised vehicles were written with (decision record 0025).

ALTER TABLE rooftops ADD COLUMN settings_version integer NOT NULL DEFAULT 1 CHECK (settings_version >= 1);

CREATE TABLE rooftop_settings_versions (
  organization_id text NOT NULL,
  rooftop_id      text NOT NULL,
  version         integer NOT NULL CHECK (version >= 1),
  settings        jsonb NOT NULL,
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, rooftop_id, version),
  FOREIGN KEY (organization_id, rooftop_id) REFERENCES rooftops
);

-- What is there becomes version 1. Each tenant in turn: row-level security holds for the owner, too.
DO $$
DECLARE
  tenant text;
BEGIN
  FOR tenant IN SELECT organization_id FROM organizations LOOP
    PERFORM set_config('app.tenant', tenant, true);
    INSERT INTO rooftop_settings_versions (organization_id, rooftop_id, version, settings, author, reason, created_at)
      SELECT organization_id, rooftop_id, 1, settings, 'forecourt', 'In force before settings had versions', updated_at FROM rooftops;
  END LOOP;
  PERFORM set_config('app.tenant', '', true);
END
$$;

SELECT isolate_tenant_table('rooftop_settings_versions');
GRANT SELECT, INSERT ON rooftop_settings_versions TO forecourt_app; -- history: never changed, never removed by the application

ALTER TABLE snapshots ADD COLUMN policy_digest text CHECK (policy_digest ~ '^[a-f0-9]{64}$'); -- null: not known, so serialised again when read
