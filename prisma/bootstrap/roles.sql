-- Database roles (docs/adr/0005-roles-and-row-level-security.md). Run by the migration runner before any migration, under its advisory
-- lock, by a login that may create roles; where an operator has created them already, nothing happens.
--   forecourt_owner      owns every table, cannot log in
--   forecourt_migrator   may become the owner, runs migrations
--   forecourt_app        the API and the workers
--   forecourt_sequencer  numbers audit records        forecourt_retention  deletes under an approved run
DO $roles$
DECLARE
  r text;
BEGIN
  FOREACH r IN ARRAY ARRAY['forecourt_owner', 'forecourt_migrator', 'forecourt_app', 'forecourt_sequencer', 'forecourt_retention']
  LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS', r);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- another database of this cluster is being migrated at the same moment
      END;
    END IF;
  END LOOP;
  IF NOT pg_has_role(session_user, 'forecourt_owner', 'MEMBER') THEN
    EXECUTE format('GRANT forecourt_owner TO %I', session_user);
  END IF;
  IF NOT pg_has_role('forecourt_migrator', 'forecourt_owner', 'MEMBER') THEN
    GRANT forecourt_owner TO forecourt_migrator;
  END IF;
  -- Functions that work with a role's rights are given to it by the owner.
  FOREACH r IN ARRAY ARRAY['forecourt_sequencer', 'forecourt_retention']
  LOOP
    IF NOT pg_has_role('forecourt_owner', r, 'MEMBER') THEN
      EXECUTE format('GRANT %I TO forecourt_owner', r);
    END IF;
  END LOOP;
END
$roles$;

DO $schema$
BEGIN
  -- The queue's own migrations say CREATE SCHEMA IF NOT EXISTS, which asks for this right even when the schema is there.
  EXECUTE format('GRANT CREATE ON DATABASE %I TO forecourt_owner', current_database());
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'forecourt') THEN
    EXECUTE 'CREATE SCHEMA forecourt AUTHORIZATION forecourt_owner';
  END IF;
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'bullmq') THEN
    EXECUTE 'CREATE SCHEMA bullmq AUTHORIZATION forecourt_owner';
  END IF;
END
$schema$;

GRANT USAGE ON SCHEMA forecourt TO forecourt_app, forecourt_sequencer, forecourt_retention, forecourt_migrator;
GRANT USAGE ON SCHEMA bullmq TO forecourt_app;
