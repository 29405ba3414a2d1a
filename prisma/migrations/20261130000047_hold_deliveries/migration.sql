-- Notices of holds leave the service (docs/adr/0060-hold-notices-are-sent.md): where an organization has them sent, and how each
-- message fares. Runs as forecourt_owner with search_path = forecourt.

CREATE TABLE hold_notice_targets (
  organization_id text NOT NULL REFERENCES organizations,
  target_id       text NOT NULL CHECK (target_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  kind            text NOT NULL CHECK (kind IN ('webhook', 'mail')),
  -- A URL, or a mail address.
  address         text NOT NULL CHECK (length(address) BETWEEN 3 AND 1024),
  purpose         text NOT NULL CHECK (purpose IN ('notices', 'escalations')),
  -- Whose own address it is; null: it gets what anybody is told.
  person_id       text CHECK (length(person_id) BETWEEN 1 AND 128),
  created_at      timestamptz(6) NOT NULL,
  revoked_at      timestamptz(6),
  -- How delivery goes. `problem` is a code, never text of the other side.
  next_attempt_at timestamptz(6) NOT NULL,
  failures        integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  problem         text CHECK (length(problem) <= 64),
  delivered_at    timestamptz(6),
  PRIMARY KEY (organization_id, target_id)
);
CREATE INDEX hold_notice_targets_due ON hold_notice_targets (next_attempt_at) WHERE revoked_at IS NULL;

-- One for each step of a notice and target, written in the transaction of the step: what a second attempt says, and under which
-- id, follows from the row and its notice.
CREATE TABLE hold_notice_deliveries (
  organization_id text NOT NULL,
  notice_id       text NOT NULL,
  step            text NOT NULL CHECK (step IN ('notice', 'reminder', 'escalation')),
  ordinal         integer NOT NULL DEFAULT 0 CHECK (ordinal >= 0), -- of reminders, from 1
  target_id       text NOT NULL,
  created_at      timestamptz(6) NOT NULL,
  attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  attempted_at    timestamptz(6),
  problem         text CHECK (length(problem) <= 64), -- why the last attempt failed
  delivered_at    timestamptz(6),
  dropped_at      timestamptz(6), -- it is not sent any more
  dropped_for     text CHECK (dropped_for IN ('acknowledged', 'hold_released', 'target_revoked', 'gave_up')),
  PRIMARY KEY (organization_id, notice_id, step, ordinal, target_id),
  FOREIGN KEY (organization_id, notice_id) REFERENCES hold_notices,
  FOREIGN KEY (organization_id, target_id) REFERENCES hold_notice_targets,
  CHECK ((dropped_at IS NULL) = (dropped_for IS NULL)),
  CHECK (delivered_at IS NULL OR dropped_at IS NULL)
);
CREATE INDEX hold_notice_deliveries_open ON hold_notice_deliveries (organization_id, target_id, attempted_at NULLS FIRST, created_at)
  WHERE delivered_at IS NULL AND dropped_at IS NULL;

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['hold_notice_targets', 'hold_notice_deliveries']) AS t;

-- That a message was to be sent, to whom and when, stays; so does that it has arrived.
CREATE FUNCTION only_delivery_progress() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  progress text[] := ARRAY['attempts', 'attempted_at', 'problem', 'delivered_at', 'dropped_at', 'dropped_for'];
BEGIN
  IF TG_OP = 'DELETE' OR to_jsonb(NEW) - progress <> to_jsonb(OLD) - progress
     OR (OLD.delivered_at IS NOT NULL AND NEW.delivered_at IS DISTINCT FROM OLD.delivered_at) THEN
    RAISE EXCEPTION 'a delivery is never changed, only attempted and ended' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_delivery_progress BEFORE UPDATE OR DELETE ON hold_notice_deliveries FOR EACH ROW EXECUTE FUNCTION only_delivery_progress();
ALTER TABLE hold_notice_deliveries ENABLE ALWAYS TRIGGER only_delivery_progress;

-- ------------------------------------------------------------------------------------------------ work that is due
-- The jobs serve all organizations: which targets have something to be sent, and nothing about them.
CREATE POLICY owner_lookup ON hold_notice_targets FOR SELECT TO forecourt_owner USING (true);
CREATE POLICY owner_lookup ON hold_notice_deliveries FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION due_hold_notice_targets(p_now timestamptz, p_most integer) RETURNS TABLE (organization_id text, target_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
  SELECT t.organization_id, t.target_id FROM hold_notice_targets t
  WHERE t.revoked_at IS NULL AND t.next_attempt_at <= p_now
    AND EXISTS (SELECT FROM hold_notice_deliveries d WHERE d.organization_id = t.organization_id AND d.target_id = t.target_id
                AND d.delivered_at IS NULL AND d.dropped_at IS NULL)
  ORDER BY t.next_attempt_at LIMIT p_most
$$;

-- ------------------------------------------------------------------------------------------------ where data of persons is
INSERT INTO subject_places (place, table_name, category, record_id, clocks, found, said, erases, keeps) VALUES
  ('hold_notice_targets', 'hold_notice_targets', 'legal_hold', 'r.target_id', '{"created":"r.created_at","closed":"r.revoked_at"}',
   '(r.person_id = ANY (subject_names(:names, ''person'')) OR r.target_id = ANY (subject_names(:names, ''recipient''))) AND r.address <> ''erased@forecourt.invalid''',
   'jsonb_build_object(''target_id'', r.target_id, ''kind'', r.kind, ''address'', r.address, ''created_at'', r.created_at, ''revoked_at'', r.revoked_at)',
   'address = ''erased@forecourt.invalid'', revoked_at = coalesce(r.revoked_at, now())', NULL);

-- ------------------------------------------------------------------------------------------------ rights
REVOKE EXECUTE ON FUNCTION only_delivery_progress(), due_hold_notice_targets(timestamptz, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION due_hold_notice_targets(timestamptz, integer) TO forecourt_app;
GRANT SELECT, INSERT, UPDATE (revoked_at, next_attempt_at, failures, problem, delivered_at) ON hold_notice_targets TO forecourt_app;
GRANT SELECT, INSERT (organization_id, notice_id, step, ordinal, target_id, created_at),
  UPDATE (attempts, attempted_at, problem, delivered_at, dropped_at, dropped_for) ON hold_notice_deliveries TO forecourt_app;
GRANT SELECT, UPDATE (address, revoked_at) ON hold_notice_targets TO forecourt_retention;
CREATE TRIGGER guard_erasure AFTER UPDATE ON hold_notice_targets REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  WHEN (current_user = 'forecourt_retention') EXECUTE FUNCTION guard_erasure('hold_notice_targets');
ALTER TABLE hold_notice_targets ENABLE ALWAYS TRIGGER guard_erasure;
