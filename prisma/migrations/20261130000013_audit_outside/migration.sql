-- Where an organization keeps the states of its audit log outside (docs/adr/0040-witnesses-and-statements.md): witnesses that
-- cosign every checkpoint, and daily statements. Runs as forecourt_owner with search_path = forecourt.

CREATE TABLE audit_targets (
  organization_id text NOT NULL REFERENCES organizations,
  target_id       text NOT NULL CHECK (target_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  kind            text NOT NULL CHECK (kind IN ('webhook', 'mail', 'witness')),
  -- A URL, or a mail address.
  address         text NOT NULL CHECK (length(address) BETWEEN 3 AND 1024),
  -- Verifier key of a witness (C2SP signed-note): name+id+key.
  witness_key     text CHECK (length(witness_key) BETWEEN 1 AND 512),
  -- Whose days a statement counts.
  time_zone       text NOT NULL DEFAULT 'UTC' CHECK (length(time_zone) BETWEEN 1 AND 64),
  created_at      timestamptz(6) NOT NULL,
  revoked_at      timestamptz(6),
  -- How delivery goes. `problem` is a code, never text of the other side.
  next_attempt_at timestamptz(6) NOT NULL,
  failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  problem         text CHECK (length(problem) <= 64),
  delivered_at    timestamptz(6),
  -- What a witness is known to hold, and which checkpoint it was asked about last.
  witnessed_size  bigint NOT NULL DEFAULT 0 CHECK (witnessed_size >= 0),
  witnessed_at    timestamptz(6),
  PRIMARY KEY (organization_id, target_id),
  CHECK ((kind = 'witness') = (witness_key IS NOT NULL))
);
CREATE INDEX audit_targets_due ON audit_targets (next_attempt_at) WHERE revoked_at IS NULL;

-- Checkpoints with the signature of a witness: its line is the last one of the note.
CREATE TABLE audit_cosignatures (
  organization_id text NOT NULL,
  target_id       text NOT NULL,
  size            bigint NOT NULL CHECK (size > 0),
  cosigned_at     timestamptz(6) NOT NULL,
  note            text NOT NULL,
  PRIMARY KEY (organization_id, target_id, size, cosigned_at)
);

-- One for each target and day, written before it is delivered: a second attempt says the same under the same id.
CREATE TABLE audit_statements (
  organization_id text NOT NULL,
  target_id       text NOT NULL,
  day             date NOT NULL,
  message_id      text NOT NULL,
  -- Null where nothing had been signed by the end of the day.
  note            text,
  created_at      timestamptz(6) NOT NULL,
  delivered_at    timestamptz(6),
  PRIMARY KEY (organization_id, target_id, day)
);

-- The checkpoint of an instant.
CREATE INDEX audit_checkpoints_by_time ON audit_checkpoints (organization_id, signed_at);

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['audit_targets', 'audit_cosignatures', 'audit_statements']) AS t;

CREATE TRIGGER audit_cosignatures_are_final BEFORE UPDATE OR DELETE ON audit_cosignatures FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE audit_cosignatures ENABLE ALWAYS TRIGGER audit_cosignatures_are_final;
CREATE TRIGGER audit_cosignatures_are_kept BEFORE TRUNCATE ON audit_cosignatures FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE audit_cosignatures ENABLE ALWAYS TRIGGER audit_cosignatures_are_kept;

-- The jobs serve all organizations: which targets are due, and nothing about them.
CREATE POLICY owner_lookup ON audit_targets FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION audit_targets_due(p_kinds text[], p_now timestamptz, p_most integer) RETURNS TABLE (organization_id text, target_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT t.organization_id, t.target_id FROM audit_targets t
        WHERE t.revoked_at IS NULL AND t.next_attempt_at <= p_now AND t.kind = ANY (p_kinds)
        ORDER BY t.next_attempt_at LIMIT p_most $$;

REVOKE EXECUTE ON FUNCTION audit_targets_due(text[], timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_targets_due(text[], timestamptz, integer) TO forecourt_app;
GRANT SELECT, INSERT, UPDATE (revoked_at, next_attempt_at, failures, problem, delivered_at, witnessed_size, witnessed_at) ON audit_targets TO forecourt_app;
GRANT SELECT, INSERT ON audit_cosignatures TO forecourt_app;
GRANT SELECT, INSERT, UPDATE (delivered_at) ON audit_statements TO forecourt_app;
