-- Persons who work for an organization, the one-time codes they sign in with, and actions that wait for a second person
-- (decision record 0033).

-- ------------------------------------------------------------------------------------------------ persons
CREATE TABLE staff_persons (
  organization_id text NOT NULL REFERENCES organizations,
  person_id       text NOT NULL CHECK (person_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  role            text NOT NULL CHECK (role IN ('admin', 'compliance', 'auditor', 'none')), -- none: an outside identity whose groups give no role at present
  issuer          text CHECK (length(issuer) BETWEEN 1 AND 500),
  subject         text CHECK (length(subject) BETWEEN 1 AND 255),
  claims_at       timestamptz(3), -- when the newest outside token was issued whose groups decided the role
  attempts        integer NOT NULL DEFAULT 0 CHECK (attempts >= 0), -- wrong one-time codes since attempts_since
  attempts_since  timestamptz(3),
  disabled_at     timestamptz(3),
  version         integer NOT NULL DEFAULT 1 CHECK (version >= 1),
  created_at      timestamptz(3) NOT NULL,
  updated_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, person_id),
  CHECK ((issuer IS NULL) = (subject IS NULL)),
  CHECK (role <> 'none' OR issuer IS NOT NULL)
);
-- A token names the person alone, before the organization is known.
CREATE UNIQUE INDEX staff_persons_by_id ON staff_persons (person_id);
CREATE UNIQUE INDEX staff_persons_by_identity ON staff_persons (organization_id, issuer, subject);

CREATE TABLE staff_codes (
  organization_id text NOT NULL,
  code_id         text NOT NULL CHECK (code_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  person_id       text NOT NULL,
  code_hash       bytea NOT NULL CHECK (length(code_hash) = 32),
  issued_by       text, -- the person who handed it out; null: the operator of the machine
  created_at      timestamptz(3) NOT NULL,
  expires_at      timestamptz(3) NOT NULL,
  spent_at        timestamptz(3),
  PRIMARY KEY (organization_id, code_id),
  FOREIGN KEY (organization_id, person_id) REFERENCES staff_persons
);
CREATE INDEX staff_codes_by_person ON staff_codes (organization_id, person_id, created_at DESC);

-- A code is spent once, and is never anything else afterwards.
CREATE FUNCTION only_spending() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF to_jsonb(NEW) - 'spent_at' <> to_jsonb(OLD) - 'spent_at' OR (OLD.spent_at IS NOT NULL AND NEW.spent_at IS DISTINCT FROM OLD.spent_at) THEN
    RAISE EXCEPTION 'a one-time code is never changed, only spent' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_spending BEFORE UPDATE ON staff_codes FOR EACH ROW EXECUTE FUNCTION only_spending();

-- ------------------------------------------------------------------------------------------------ approvals
CREATE TABLE approvals (
  organization_id text NOT NULL REFERENCES organizations,
  approval_id     text NOT NULL CHECK (approval_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  kind            text NOT NULL CHECK (kind IN ('delegation.record', 'policy.publish', 'retention.activate', 'retention.run', 'hold.release')),
  resource_id     text NOT NULL CHECK (length(resource_id) BETWEEN 1 AND 256),
  content_hash    text NOT NULL CHECK (content_hash ~ '^[a-f0-9]{64}$'),
  summary         text NOT NULL CHECK (length(summary) BETWEEN 1 AND 500),
  requester_kind  text NOT NULL CHECK (requester_kind IN ('person', 'key', 'system')),
  requester       text NOT NULL CHECK (length(requester) BETWEEN 1 AND 200),
  requested_at    timestamptz(3) NOT NULL,
  expires_at      timestamptz(3) NOT NULL,
  outcome         text CHECK (outcome IN ('denied', 'expired', 'used')), -- null: open
  ended_at        timestamptz(3),
  PRIMARY KEY (organization_id, approval_id),
  UNIQUE (organization_id, approval_id, requester),
  CHECK ((outcome IS NULL) = (ended_at IS NULL)),
  CHECK (expires_at >= requested_at)
);
-- One open request for one content.
CREATE UNIQUE INDEX approvals_open ON approvals (organization_id, kind, resource_id, content_hash) WHERE outcome IS NULL;
CREATE INDEX approvals_by_subject ON approvals (organization_id, kind, resource_id, content_hash, requested_at DESC);

-- Rows are only ever added. The requester is repeated so that a constraint can say that nobody approves their own request.
CREATE TABLE approval_decisions (
  organization_id  text NOT NULL,
  approval_id      text NOT NULL,
  person_id        text NOT NULL,
  requester        text NOT NULL,
  decision         text NOT NULL CHECK (decision IN ('approve', 'deny')),
  role             text NOT NULL CHECK (role IN ('admin', 'compliance', 'auditor')),
  reason           text CHECK (length(reason) BETWEEN 1 AND 500),
  authenticated_at timestamptz(3) NOT NULL,
  decided_at       timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, approval_id, person_id, decision),
  FOREIGN KEY (organization_id, approval_id, requester) REFERENCES approvals (organization_id, approval_id, requester),
  CHECK (person_id <> requester),
  CHECK ((decision = 'deny') = (reason IS NOT NULL))
);

-- An approval ends once and is never anything else.
CREATE FUNCTION only_ending() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF to_jsonb(NEW) - 'outcome' - 'ended_at' <> to_jsonb(OLD) - 'outcome' - 'ended_at'
     OR (OLD.outcome IS NOT NULL AND (NEW.outcome, NEW.ended_at) IS DISTINCT FROM (OLD.outcome, OLD.ended_at)) THEN
    RAISE EXCEPTION 'an approval is never changed, it only ends' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_ending BEFORE UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION only_ending();

-- ------------------------------------------------------------------------------------------------ delegations
-- A delegation that covers the whole group is a draft until it was approved; those that are there are in force.
ALTER TABLE group_delegations ADD COLUMN in_force_at timestamptz(6) DEFAULT now();
ALTER TABLE group_delegations ALTER COLUMN in_force_at DROP DEFAULT;

CREATE FUNCTION only_activation_and_revocation() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF to_jsonb(NEW) - 'revoked_at' - 'in_force_at' <> to_jsonb(OLD) - 'revoked_at' - 'in_force_at'
     OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
     OR (OLD.in_force_at IS NOT NULL AND NEW.in_force_at IS DISTINCT FROM OLD.in_force_at) THEN
    RAISE EXCEPTION 'a recorded % is never changed, only put in force and revoked', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
DROP TRIGGER only_revocation ON group_delegations;
CREATE TRIGGER only_activation_and_revocation BEFORE UPDATE ON group_delegations
  FOR EACH ROW EXECUTE FUNCTION only_activation_and_revocation();

-- ------------------------------------------------------------------------------------------------ isolation and rights
SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['staff_persons', 'staff_codes', 'approvals', 'approval_decisions']) AS t;
GRANT SELECT, INSERT, UPDATE ON staff_persons TO forecourt_app;
GRANT SELECT, INSERT, UPDATE (spent_at) ON staff_codes TO forecourt_app;
GRANT SELECT, INSERT, UPDATE (outcome, ended_at) ON approvals TO forecourt_app;
GRANT SELECT, INSERT ON approval_decisions TO forecourt_app;
GRANT UPDATE (in_force_at) ON group_delegations TO forecourt_app;

-- Whose sign-in or token this is: the only look-up of a person before the organization is known.
CREATE POLICY owner_lookup ON staff_persons FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION find_staff_person(p_person_id text)
  RETURNS TABLE (organization_id text, person_id text, name text, role text, issuer text, disabled_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT s.organization_id, s.person_id, s.name, s.role, s.issuer, s.disabled_at FROM staff_persons s WHERE s.person_id = p_person_id $$;
REVOKE EXECUTE ON FUNCTION find_staff_person(text), only_spending(), only_ending(), only_activation_and_revocation() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_staff_person(text) TO forecourt_app;
