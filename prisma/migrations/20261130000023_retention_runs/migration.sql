-- Retention runs and what they leave behind (docs/adr/0046-retention-runs.md). What deletes under a run is in migration 29. Runs as
-- forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ runs
-- One run: previewed at one moment, approved by two people for exactly that preview, and carried out in batches. This row is the
-- truth about it; the queue only knows its id.
CREATE TABLE retention_runs (
  organization_id    text NOT NULL REFERENCES organizations,
  run_id             text NOT NULL CHECK (run_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  state              text NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'previewed', 'approved', 'running', 'done', 'halted', 'cancelled')),
  requester_kind     text NOT NULL CHECK (requester_kind IN ('person', 'key', 'system')),
  requested_by       text NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 200),
  requested_at       timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  reason             text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  categories         text[] CHECK (cardinality(categories) BETWEEN 1 AND 100), -- null: every category of the policy
  beyond_brake       text CHECK (length(beyond_brake) BETWEEN 1 AND 500), -- why more may go than the brake lets through
  hash_key           bytea NOT NULL CHECK (length(hash_key) = 32), -- of the keyed hashes of ids

  -- The preview. `cutoffs` and what follows are what people approve: preview_hash is over all of it.
  as_of              timestamptz(6), -- the moment of the cutoffs, by the database's clock
  policy_id          text,
  policy_version     integer,
  policy_hash        text CHECK (policy_hash ~ '^[0-9a-f]{64}$'),
  cutoffs            jsonb,
  preview            jsonb,
  sketch             bytea, -- of the keyed hashes of everything that is over: how much of it has changed since
  preview_hash       text CHECK (preview_hash ~ '^[0-9a-f]{64}$'),
  previewed_at       timestamptz(6),
  preview_expires_at timestamptz(6),

  approval_id        text,
  approvers          text[],
  approved_at        timestamptz(6),

  -- The work. `lease` counts who took it; whoever holds an older one does nothing any more.
  lease              integer NOT NULL DEFAULT 0,
  lease_until        timestamptz(6),
  heartbeat_at       timestamptz(6),
  started_at         timestamptz(6),
  finished_at        timestamptz(6),
  position           jsonb NOT NULL DEFAULT '{}', -- category -> where the next batch begins
  batches            integer NOT NULL DEFAULT 0,
  taken              bigint NOT NULL DEFAULT 0,
  held               bigint NOT NULL DEFAULT 0,
  failed             bigint NOT NULL DEFAULT 0,
  tree               bytea NOT NULL DEFAULT '', -- right edge of the Merkle tree over what was taken
  last_batch_at      timestamptz(6),
  halted_for         text CHECK (halted_for IN ('share', 'median', 'clock', 'policy', 'live_set', 'preview_expired', 'failure')),

  PRIMARY KEY (organization_id, run_id),
  CHECK (state = 'draft' OR state = 'cancelled' OR state = 'halted' OR (preview_hash IS NOT NULL AND preview_expires_at IS NOT NULL AND cutoffs IS NOT NULL)),
  CHECK (state NOT IN ('approved', 'running', 'done') OR (approval_id IS NOT NULL AND approved_at IS NOT NULL AND cardinality(approvers) >= 2)),
  CHECK (requested_by <> ALL (approvers)),
  CHECK ((state = 'halted') = (halted_for IS NOT NULL))
) WITH (fillfactor = 50); -- every batch writes the row
CREATE INDEX retention_runs_open ON retention_runs (organization_id, run_id) WHERE state IN ('draft', 'approved', 'running');

-- What each batch took: written in its transaction, never again.
CREATE TABLE retention_batches (
  organization_id text NOT NULL,
  run_id          text NOT NULL,
  number          integer NOT NULL CHECK (number > 0),
  category        text NOT NULL,
  part            text NOT NULL, -- the table
  at              timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  taken           integer NOT NULL CHECK (taken >= 0),
  held            integer NOT NULL CHECK (held >= 0),
  failed          integer NOT NULL CHECK (failed >= 0), -- something that is still in use refers to it
  rooftops        jsonb NOT NULL, -- rooftop -> taken
  holds           jsonb NOT NULL, -- hold -> records that it kept
  first_record    text,
  last_record     text,
  digest          bytea NOT NULL CHECK (length(digest) = 32), -- SHA-256 of the keyed hashes of what was taken, in order
  PRIMARY KEY (organization_id, run_id, number),
  FOREIGN KEY (organization_id, run_id) REFERENCES retention_runs
);

-- Why a run was stopped, with what was measured. Apart from the audit trail, which a run may prune.
CREATE TABLE retention_halts (
  organization_id text NOT NULL,
  run_id          text NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('share', 'median', 'clock', 'policy', 'live_set', 'preview_expired', 'failure')),
  part            text,
  measured        numeric,
  allowed         numeric,
  at              timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (organization_id, run_id),
  FOREIGN KEY (organization_id, run_id) REFERENCES retention_runs
);

-- What was deleted, by which policy and approval: canonical JSON that is never changed. The audit record `event_id` of the same
-- transaction has its SHA-256 as the hash of what came after.
CREATE TABLE deletion_records (
  organization_id text NOT NULL REFERENCES organizations,
  record_id       text NOT NULL CHECK (record_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  kind            text NOT NULL CHECK (kind IN ('run', 'erasure')),
  source_id       text NOT NULL CHECK (length(source_id) BETWEEN 1 AND 128), -- the run, or the privacy request
  content         text NOT NULL,
  content_sha256  text NOT NULL,
  event_id        text NOT NULL,
  recorded_at     timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, record_id),
  UNIQUE (organization_id, kind, source_id),
  CHECK (content_sha256 = encode(sha256(convert_to(content, 'UTF8')), 'hex'))
);

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['retention_runs', 'retention_batches', 'retention_halts', 'deletion_records']) AS t;

-- ------------------------------------------------------------------------------------------------ what never changes
CREATE FUNCTION refuse_evidence_change() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'evidence of deletions is never changed or deleted (% on %)', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
DO $final$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['retention_batches', 'retention_halts', 'deletion_records'] LOOP
    EXECUTE format('CREATE TRIGGER evidence_is_final BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_evidence_change()', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER evidence_is_final', t);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['retention_runs', 'retention_batches', 'retention_halts', 'deletion_records'] LOOP
    EXECUTE format('CREATE TRIGGER evidence_is_kept BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_evidence_change()', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER evidence_is_kept', t);
  END LOOP;
END
$final$;

-- A run goes forward and never back. What was asked for stays, the preview stays once it is there, and it is approved only by an
-- approval of exactly this preview that was just spent and that two others than the requester gave.
CREATE FUNCTION only_run_steps() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  working  text[] := ARRAY['state', 'lease', 'lease_until', 'heartbeat_at', 'started_at', 'finished_at', 'position', 'batches', 'taken', 'held',
                           'failed', 'tree', 'last_batch_at', 'halted_for'];
  preview  text[] := ARRAY['as_of', 'policy_id', 'policy_version', 'policy_hash', 'cutoffs', 'preview', 'sketch', 'preview_hash', 'previewed_at', 'preview_expires_at'];
  approval text[] := ARRAY['approval_id', 'approvers', 'approved_at'];
  step     text := OLD.state || '>' || NEW.state;
  changing text[] := working || CASE step WHEN 'draft>previewed' THEN preview WHEN 'previewed>approved' THEN approval ELSE '{}' END;
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
               AND d.decision = 'approve' AND d.person_id <> NEW.requested_by AND d.person_id = ANY (NEW.approvers)) >= 2) THEN
    RAISE EXCEPTION 'a retention run is approved by two people, for its preview' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
-- Not for what every batch moves: comparing whole rows costs more than the batch.
CREATE TRIGGER only_run_steps BEFORE DELETE OR UPDATE OF organization_id, run_id, state, requester_kind, requested_by, requested_at, reason, categories,
  beyond_brake, hash_key, as_of, policy_id, policy_version, policy_hash, cutoffs, preview, sketch, preview_hash, previewed_at, preview_expires_at, approval_id,
  approvers, approved_at ON retention_runs FOR EACH ROW EXECUTE FUNCTION only_run_steps();
ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_steps;

CREATE FUNCTION only_run_progress() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF OLD.state IN ('done', 'halted', 'cancelled') AND (NEW.lease, NEW.position, NEW.batches, NEW.taken, NEW.held, NEW.failed, NEW.tree, NEW.halted_for, NEW.finished_at)
       IS DISTINCT FROM (OLD.lease, OLD.position, OLD.batches, OLD.taken, OLD.held, OLD.failed, OLD.tree, OLD.halted_for, OLD.finished_at)
     OR NEW.lease < OLD.lease OR NEW.taken < OLD.taken OR NEW.batches < OLD.batches OR NEW.held < OLD.held OR NEW.failed < OLD.failed THEN
    RAISE EXCEPTION 'a retention run only goes forward' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_run_progress BEFORE UPDATE ON retention_runs FOR EACH ROW EXECUTE FUNCTION only_run_progress();
ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_progress;

-- At the end of the transaction: no deletion record without its audit record, which has its hash.
CREATE FUNCTION require_deletion_audit() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM audit_events e WHERE e.organization_id = NEW.organization_id AND e.event_id = NEW.event_id
                   AND e.recorded_at = NEW.recorded_at AND e.after_hash = NEW.content_sha256 AND e.xid = pg_current_xact_id()) THEN
    RAISE EXCEPTION 'a deletion record is audited in its own transaction' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER deletion_records_are_audited AFTER INSERT ON deletion_records DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_deletion_audit();

-- ------------------------------------------------------------------------------------------------ what waits for a worker
-- Across organizations, before the tenant is known: ids only. Drafts wait for their preview, approved and running ones for a worker.
CREATE POLICY owner_lookup ON retention_runs FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION open_retention_runs(p_most integer) RETURNS TABLE (organization_id text, run_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT r.organization_id, r.run_id FROM retention_runs r
        WHERE r.state IN ('draft', 'approved', 'running') AND (r.lease_until IS NULL OR r.lease_until < clock_timestamp())
        ORDER BY r.requested_at LIMIT p_most $$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT SELECT, UPDATE ON retention_runs TO forecourt_retention;
GRANT SELECT, INSERT ON retention_batches TO forecourt_retention;

GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION require_deletion_audit() OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;

-- The application asks, previews and takes leases; what a batch moves (position, counts) it cannot.
GRANT SELECT, INSERT (organization_id, run_id, requester_kind, requested_by, reason, categories, beyond_brake, hash_key),
  UPDATE (state, as_of, policy_id, policy_version, policy_hash, cutoffs, preview, sketch, preview_hash, previewed_at, preview_expires_at,
          approval_id, approvers, approved_at, lease, lease_until, heartbeat_at, started_at, finished_at, tree, halted_for) ON retention_runs TO forecourt_app;
GRANT SELECT ON retention_batches TO forecourt_app;
GRANT SELECT, INSERT (organization_id, run_id, kind, part, measured, allowed) ON retention_halts TO forecourt_app;
GRANT SELECT, INSERT (organization_id, record_id, kind, source_id, content, content_sha256, event_id) ON deletion_records TO forecourt_app;
REVOKE EXECUTE ON FUNCTION refuse_evidence_change(), only_run_steps(), only_run_progress(), require_deletion_audit(), open_retention_runs(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_retention_runs(integer) TO forecourt_app;
