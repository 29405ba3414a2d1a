-- Streams of the audit trail and targets of its states are changed in place (docs/adr/0062-changing-streams-and-targets.md). Runs as
-- forecourt_owner with search_path = forecourt.

-- The secret before, sealed as the one in use: deliveries carry both signatures until then.
ALTER TABLE audit_streams ADD COLUMN previous_secret bytea, ADD COLUMN previous_secret_until timestamptz(6),
  ADD CONSTRAINT audit_streams_previous_secret CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL));

-- Secrets of targets are derived and not stored: which one is in use, and until when the one before it counts as well.
ALTER TABLE audit_targets ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN secret_number integer NOT NULL DEFAULT 1 CHECK (secret_number > 0), ADD COLUMN previous_secret_until timestamptz(6);
GRANT UPDATE (address, time_zone, version, secret_number, previous_secret_until) ON audit_targets TO forecourt_app;
