-- Standing approvals (docs/adr/0061-standing-approvals.md): two people let the sweep of every day carry out small runs of one policy
-- version for at most 90 days. Runs as forecourt_owner with search_path = forecourt.

ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check, ADD CONSTRAINT approvals_kind_check
  CHECK (kind IN ('delegation.record', 'policy.publish', 'retention.activate', 'retention.run', 'retention.standing', 'hold.release', 'audit.redact'));

CREATE TABLE retention_standing_approvals (
  organization_id text NOT NULL REFERENCES organizations,
  standing_id     text NOT NULL CHECK (standing_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  policy_id       text NOT NULL,
  policy_version  integer NOT NULL,
  policy_hash     text NOT NULL,
  categories      text[] NOT NULL CHECK (cardinality(categories) >= 1),
  record_cap      integer NOT NULL CHECK (record_cap BETWEEN 1 AND 10000), -- of one run
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  requester_kind  text NOT NULL CHECK (requester_kind IN ('person', 'key')),
  requested_by    text NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 200),
  requested_at    timestamptz(6) NOT NULL,
  expires_at      timestamptz(6) NOT NULL,
  content_hash    text NOT NULL CHECK (content_hash ~ '^[0-9a-f]{64}$'), -- of all that is approved
  approval_id     text,
  approvers       text[],
  approved_at     timestamptz(6),
  revoked_at      timestamptz(6),
  revoked_by      text CHECK (length(revoked_by) BETWEEN 1 AND 200),
  swept_on        date, -- the last day (UTC) that had its sweep
  PRIMARY KEY (organization_id, standing_id),
  CHECK (expires_at >= requested_at AND expires_at <= requested_at + interval '2160 hours'),
  CHECK ((approval_id IS NULL) = (approved_at IS NULL) AND (approval_id IS NULL) = (approvers IS NULL)),
  CHECK (approval_id IS NULL OR cardinality(approvers) >= 2),
  CHECK (requested_by <> ALL (approvers)),
  CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);
CREATE INDEX retention_standing_approvals_due ON retention_standing_approvals (swept_on) WHERE approved_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX retention_standing_approvals_by_approval ON retention_standing_approvals (organization_id, approval_id);
SELECT isolate_tenant_table('retention_standing_approvals');

-- What it says stays. It is approved once, by an approval of exactly this content that two others gave, and revoked once.
CREATE FUNCTION only_standing_steps() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  changing text[] := ARRAY['swept_on'] || CASE WHEN OLD.approval_id IS NULL THEN ARRAY['approval_id', 'approvers', 'approved_at'] ELSE '{}' END
                     || CASE WHEN OLD.revoked_at IS NULL THEN ARRAY['revoked_at', 'revoked_by'] ELSE '{}' END;
BEGIN
  IF TG_OP = 'DELETE' OR to_jsonb(NEW) - changing <> to_jsonb(OLD) - changing OR NEW.swept_on < OLD.swept_on THEN
    RAISE EXCEPTION 'a standing approval is only approved, swept under and revoked' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF OLD.approval_id IS NULL AND NEW.approval_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM approvals a WHERE a.organization_id = NEW.organization_id AND a.approval_id = NEW.approval_id AND a.kind = 'retention.standing'
        AND a.resource_id = 'standing-approval/' || NEW.standing_id AND a.content_hash = NEW.content_hash AND a.outcome = 'used'
        AND (SELECT count(DISTINCT d.person_id) FROM approval_decisions d WHERE d.organization_id = a.organization_id AND d.approval_id = a.approval_id
               AND d.decision = 'approve' AND d.person_id <> NEW.requested_by AND d.person_id = ANY (NEW.approvers)) >= 2) THEN
    RAISE EXCEPTION 'a standing approval is approved by two people, for what it says' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_standing_steps BEFORE UPDATE OR DELETE ON retention_standing_approvals FOR EACH ROW EXECUTE FUNCTION only_standing_steps();
ALTER TABLE retention_standing_approvals ENABLE ALWAYS TRIGGER only_standing_steps;

-- ------------------------------------------------------------------------------------------------ runs of the sweep
ALTER TABLE retention_runs ADD COLUMN standing_id text, -- under which the sweep asked for it
  ADD COLUMN standing_refused text CHECK (length(standing_refused) <= 64), -- why it waits for people all the same: a code
  ADD FOREIGN KEY (organization_id, standing_id) REFERENCES retention_standing_approvals;
CREATE INDEX retention_runs_swept ON retention_runs (organization_id, run_id) WHERE standing_id IS NOT NULL AND state = 'previewed' AND standing_refused IS NULL;

-- Whether a standing approval carries this run at this moment. Unknown is no.
CREATE FUNCTION standing_carries(p_run retention_runs) RETURNS boolean LANGUAGE sql STABLE SET search_path = forecourt, pg_temp AS $$
  SELECT coalesce((
    SELECT s.approved_at IS NOT NULL AND s.revoked_at IS NULL AND s.expires_at > clock_timestamp()
       AND s.approval_id = p_run.approval_id AND s.approvers = p_run.approvers
       AND (s.policy_id, s.policy_version, s.policy_hash) = (p_run.policy_id, p_run.policy_version, p_run.policy_hash)
       AND s.policy_version = (SELECT max(v.version) FROM retention_policy_versions v WHERE v.organization_id = s.organization_id)
       AND p_run.categories <@ s.categories AND p_run.beyond_brake IS NULL
       AND (p_run.preview ->> 'going')::numeric <= s.record_cap AND p_run.taken <= s.record_cap
    FROM retention_standing_approvals s WHERE s.organization_id = p_run.organization_id AND s.standing_id = p_run.standing_id), false)
$$;

-- As in migration 23; a run of the sweep may also be carried by its standing approval.
CREATE OR REPLACE FUNCTION only_run_steps() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  working  text[] := ARRAY['state', 'lease', 'lease_until', 'heartbeat_at', 'started_at', 'finished_at', 'position', 'batches', 'taken', 'held',
                           'failed', 'tree', 'last_batch_at', 'halted_for'];
  preview  text[] := ARRAY['as_of', 'policy_id', 'policy_version', 'policy_hash', 'cutoffs', 'preview', 'sketch', 'preview_hash', 'previewed_at', 'preview_expires_at'];
  approval text[] := ARRAY['approval_id', 'approvers', 'approved_at'];
  step     text := OLD.state || '>' || NEW.state;
  changing text[] := working || CASE step WHEN 'draft>previewed' THEN preview WHEN 'previewed>approved' THEN approval ELSE '{}' END
                     || CASE WHEN step = 'previewed>previewed' AND OLD.standing_refused IS NULL THEN ARRAY['standing_refused'] ELSE '{}' END;
BEGIN
  IF TG_OP = 'DELETE' OR to_jsonb(NEW) - changing <> to_jsonb(OLD) - changing
     OR (OLD.state <> NEW.state AND step <> ALL (ARRAY['draft>previewed', 'draft>cancelled', 'draft>halted', 'previewed>approved', 'previewed>cancelled',
       'approved>running', 'approved>halted', 'approved>cancelled', 'running>done', 'running>halted', 'running>cancelled'])) THEN
    RAISE EXCEPTION 'a retention run only goes forward (%)', step USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF step = 'previewed>approved' AND NOT EXISTS (
      SELECT FROM approvals a WHERE a.organization_id = NEW.organization_id AND a.approval_id = NEW.approval_id AND a.kind = 'retention.run'
        AND a.resource_id = 'retention-run/' || NEW.run_id AND a.content_hash = NEW.preview_hash AND a.outcome = 'used'
        AND (SELECT count(DISTINCT d.person_id) FROM approval_decisions d WHERE d.organization_id = a.organization_id AND d.approval_id = a.approval_id
               AND d.decision = 'approve' AND d.person_id <> NEW.requested_by AND d.person_id = ANY (NEW.approvers)) >= 2)
     AND NOT standing_carries(NEW) THEN
    RAISE EXCEPTION 'a retention run is approved by two people, for its preview' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;

-- What was approved under a standing approval is begun, and goes on, for as long as that stands: not after it expired or was revoked, not
-- under another version, and not beyond its cap, whatever came since the preview.
CREATE FUNCTION only_while_standing() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM retention_standing_approvals s WHERE s.organization_id = NEW.organization_id AND s.approval_id = NEW.approval_id)
     AND NOT standing_carries(NEW) THEN
    RAISE EXCEPTION 'retention run not in force: policy' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'retention_run', DETAIL = 'policy';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_while_standing BEFORE UPDATE ON retention_runs FOR EACH ROW
  WHEN (NEW.standing_id IS NOT NULL AND NEW.state = 'running' AND (OLD.state <> 'running' OR NEW.taken > OLD.taken)) EXECUTE FUNCTION only_while_standing();
ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_while_standing;

-- ------------------------------------------------------------------------------------------------ work that is due
-- The sweep serves all organizations: ids only. By the database's clock, as everything that deletes.
CREATE POLICY owner_lookup ON retention_standing_approvals FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION due_retention_sweeps(p_most integer) RETURNS TABLE (organization_id text, standing_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
  SELECT s.organization_id, s.standing_id FROM retention_standing_approvals s
  WHERE s.approved_at IS NOT NULL AND s.revoked_at IS NULL AND s.expires_at > clock_timestamp()
    AND (s.swept_on IS NULL OR s.swept_on < (clock_timestamp() AT TIME ZONE 'UTC')::date)
  ORDER BY s.swept_on NULLS FIRST LIMIT p_most
$$;
CREATE FUNCTION previewed_retention_sweeps(p_most integer) RETURNS TABLE (organization_id text, run_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
  SELECT r.organization_id, r.run_id FROM retention_runs r
  WHERE r.standing_id IS NOT NULL AND r.state = 'previewed' AND r.standing_refused IS NULL ORDER BY r.requested_at LIMIT p_most
$$;

-- ------------------------------------------------------------------------------------------------ where data of persons is
INSERT INTO subject_places (place, table_name, category, record_id, clocks, found, said, erases, keeps) VALUES
  ('retention_standing_approvals', 'retention_standing_approvals', 'deletion_record', 'r.standing_id', '{"created":"r.requested_at"}',
   'r.requested_by = ANY (subject_names(:names, ''person'', ''key'')) OR r.revoked_by = ANY (subject_names(:names, ''person'', ''key'')) OR r.approvers && subject_names(:names, ''person'')',
   'jsonb_build_object(''standing_id'', r.standing_id, ''requested_at'', r.requested_at)',
   'KEEP', 'pseudonymous id; who answers for deletions of every day');

-- ------------------------------------------------------------------------------------------------ rights
REVOKE EXECUTE ON FUNCTION only_standing_steps(), only_while_standing(), standing_carries(retention_runs), due_retention_sweeps(integer),
  previewed_retention_sweeps(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION standing_carries(retention_runs) TO forecourt_app, forecourt_retention;
GRANT EXECUTE ON FUNCTION due_retention_sweeps(integer), previewed_retention_sweeps(integer) TO forecourt_app;
GRANT SELECT, INSERT (organization_id, standing_id, policy_id, policy_version, policy_hash, categories, record_cap, reason, requester_kind, requested_by,
    requested_at, expires_at, content_hash), UPDATE (approval_id, approvers, approved_at, revoked_at, revoked_by, swept_on)
  ON retention_standing_approvals TO forecourt_app;
GRANT SELECT ON retention_standing_approvals TO forecourt_retention;
GRANT INSERT (standing_id), UPDATE (standing_refused) ON retention_runs TO forecourt_app;
