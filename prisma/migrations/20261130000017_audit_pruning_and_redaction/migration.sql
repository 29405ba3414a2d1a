-- What may lawfully go out of the audit trail, and what stays so that the rest can still be verified (docs/adr/0041-verifying-what-is-left.md):
-- the beginning of a log by a pruning, the erasable values of records by a redaction. Runs as forecourt_owner with
-- search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ pruning
-- Rows before min_index, their entries and their tiles of level 0 may be gone. `root` is the root of these rows; the record
-- `event_id` in the log itself says the same, and is what verifying believes.
CREATE TABLE audit_prunings (
  organization_id text NOT NULL,
  min_index       bigint NOT NULL CHECK (min_index > 0 AND min_index % 256 = 0),
  size            bigint NOT NULL,
  root            bytea NOT NULL CHECK (length(root) = 32),
  policy          text NOT NULL CHECK (policy ~ '^[A-Za-z0-9._:-]{1,128}@[0-9]{1,9}$'),
  run_id          text NOT NULL CHECK (run_id ~ '^[A-Za-z0-9._:-]{1,128}$'),
  event_id        text NOT NULL,
  pruned_at       timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, min_index),
  CHECK (min_index <= size)
);

-- ------------------------------------------------------------------------------------------------ redaction
-- One redaction: its audit record has the same id and the same hash.
CREATE TABLE audit_redactions (
  organization_id text NOT NULL,
  redaction_id    text NOT NULL,
  scope           text NOT NULL CHECK (scope IN ('record', 'actor', 'client')),
  ground          text NOT NULL CHECK (ground IN ('erasure_request', 'recorded_in_error', 'court_order')),
  records         integer NOT NULL CHECK (records > 0),
  content_hash    text NOT NULL CHECK (content_hash ~ '^[0-9a-f]{64}$'),
  redacted_at     timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, redaction_id)
);

-- The records whose values went, and which fields had one.
CREATE TABLE audit_redacted_records (
  organization_id text NOT NULL,
  recorded_at     timestamptz(6) NOT NULL,
  event_id        text NOT NULL,
  redaction_id    text NOT NULL,
  fields          text[] NOT NULL,
  PRIMARY KEY (organization_id, recorded_at, event_id)
);
CREATE INDEX audit_redacted_records_by_redaction ON audit_redacted_records (organization_id, redaction_id);

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['audit_prunings', 'audit_redactions', 'audit_redacted_records']) AS t;

DO $final$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['audit_prunings', 'audit_redactions', 'audit_redacted_records'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()', t || '_are_final', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', t, t || '_are_final');
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', t || '_are_kept', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', t, t || '_are_kept');
  END LOOP;
END
$final$;

-- A record changes in one way: all its erasable values go at once, with the nonce that could tell them, by the function below.
CREATE FUNCTION only_audit_redaction() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND current_user = 'forecourt_retention' AND OLD.nonce IS NOT NULL
     AND NEW.nonce IS NULL AND NEW.actor IS NULL AND NEW.client IS NULL
     AND to_jsonb(NEW) - ARRAY['nonce', 'actor', 'client', 'leaf'] = to_jsonb(OLD) - ARRAY['nonce', 'actor', 'client', 'leaf'] THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'audit records are never changed or deleted (% on %)', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
DROP TRIGGER audit_events_are_final ON audit_events;
CREATE TRIGGER audit_events_are_final BEFORE UPDATE OR DELETE ON audit_events FOR EACH ROW EXECUTE FUNCTION only_audit_redaction();
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_are_final;

-- Erases the values of one record, or of all records that share its actor or client, at most p_most of them; the named
-- record goes last, so that it still names its subject while there are more. Runs as forecourt_retention, inside the tenant
-- of the transaction, which has to record it before it commits (the trigger below). Returns no row where there is nothing to
-- erase.
CREATE FUNCTION redact_audit_values(p_redaction text, p_event text, p_scope text, p_ground text, p_most integer)
  RETURNS TABLE (records integer, content_hash text, more boolean)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  named   audit_events%ROWTYPE;
  touched integer;
  digest  text;
BEGIN
  SELECT * INTO named FROM audit_events e
    WHERE e.organization_id = current_tenant() AND e.event_id = p_event AND e.nonce IS NOT NULL ORDER BY e.recorded_at LIMIT 1 FOR UPDATE;
  IF NOT FOUND OR coalesce(CASE p_scope WHEN 'actor' THEN named.actor WHEN 'client' THEN named.client ELSE coalesce(named.actor, named.client) END, '') = '' THEN
    RETURN;
  END IF;
  WITH chosen AS (
    SELECT e.recorded_at, e.event_id, e.actor, e.client FROM audit_events e
    WHERE e.organization_id = current_tenant() AND e.nonce IS NOT NULL
      AND CASE p_scope WHEN 'actor' THEN e.actor = named.actor WHEN 'client' THEN e.client = named.client
                       ELSE (e.recorded_at, e.event_id) = (named.recorded_at, named.event_id) END
    ORDER BY (e.recorded_at, e.event_id) = (named.recorded_at, named.event_id), e.recorded_at, e.event_id LIMIT p_most FOR UPDATE
  ), erased AS (
    UPDATE audit_events e SET actor = NULL, client = NULL, nonce = NULL FROM chosen c
    WHERE e.recorded_at = c.recorded_at AND e.event_id = c.event_id
  )
  INSERT INTO audit_redacted_records (organization_id, recorded_at, event_id, redaction_id, fields)
  SELECT current_tenant(), c.recorded_at, c.event_id, p_redaction,
         array_remove(ARRAY[CASE WHEN c.actor IS NOT NULL THEN 'actor' END, CASE WHEN c.client IS NOT NULL THEN 'client' END], NULL)
  FROM chosen c;
  GET DIAGNOSTICS touched = ROW_COUNT;
  SELECT encode(sha256(convert_to(p_ground || E'\n' || string_agg(k.event_id || ' ' || array_to_string(k.fields, ','), E'\n'
           ORDER BY k.event_id COLLATE "C", k.recorded_at), 'UTF8')), 'hex') INTO digest
    FROM audit_redacted_records k WHERE k.organization_id = current_tenant() AND k.redaction_id = p_redaction;
  INSERT INTO audit_redactions (organization_id, redaction_id, scope, ground, records, content_hash)
    VALUES (current_tenant(), p_redaction, p_scope, p_ground, touched, digest);
  RETURN QUERY SELECT touched, digest, EXISTS (SELECT FROM audit_events e WHERE e.organization_id = current_tenant() AND e.nonce IS NOT NULL
    AND CASE p_scope WHEN 'actor' THEN e.actor = named.actor WHEN 'client' THEN e.client = named.client END);
END
$$;

-- At the end of the transaction: no redaction without its record, which names it, its ground and its hash.
CREATE FUNCTION require_redaction_record() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM audit_events e WHERE e.organization_id = NEW.organization_id AND e.event_id = NEW.redaction_id
                   AND e.recorded_at = NEW.redacted_at AND e.operation = 'audit.redacted' AND e.reason = NEW.ground
                   AND e.after_hash = NEW.content_hash AND e.xid = pg_current_xact_id()) THEN
    RAISE EXCEPTION 'a redaction is recorded in its own transaction' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER audit_redactions_are_recorded AFTER INSERT ON audit_redactions DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION require_redaction_record();

-- Notes that the beginning of the log may be gone. Its record is in the same transaction and says the same; a log is pruned
-- up to what a stored checkpoint covers, and never less than before.
CREATE FUNCTION record_log_pruning(p_event text, p_min_index bigint, p_size bigint, p_root bytea, p_policy text, p_run text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM audit_checkpoints c WHERE c.organization_id = current_tenant() AND c.size = p_size)
     OR EXISTS (SELECT FROM audit_prunings p WHERE p.organization_id = current_tenant() AND p.min_index >= p_min_index) THEN
    RAISE EXCEPTION 'a log is pruned below a checkpoint that there is, and never less than before' USING ERRCODE = 'restrict_violation';
  END IF;
  IF NOT EXISTS (SELECT FROM audit_events e WHERE e.organization_id = current_tenant() AND e.event_id = p_event
                   AND e.operation = 'log.pruned' AND e.xid = pg_current_xact_id()
                   AND e.after_hash = encode(sha256(convert_to(concat_ws(E'\n', current_tenant(), p_min_index, p_size, encode(p_root, 'hex'),
                                                                         p_policy, p_run), 'UTF8')), 'hex')) THEN
    RAISE EXCEPTION 'a pruning is recorded in its own transaction' USING ERRCODE = 'restrict_violation';
  END IF;
  INSERT INTO audit_prunings (organization_id, min_index, size, root, policy, run_id, event_id)
    VALUES (current_tenant(), p_min_index, p_size, p_root, p_policy, p_run, p_event);
END
$$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT SELECT, UPDATE (actor, client, nonce) ON audit_events TO forecourt_retention;
GRANT SELECT, INSERT ON audit_redactions, audit_redacted_records TO forecourt_retention;
GRANT SELECT ON audit_prunings, audit_redactions, audit_redacted_records TO forecourt_app;

GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION redact_audit_values(text, text, text, text, integer) OWNER TO forecourt_retention;
ALTER FUNCTION require_redaction_record() OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;

REVOKE EXECUTE ON FUNCTION only_audit_redaction(), redact_audit_values(text, text, text, text, integer), require_redaction_record(),
  record_log_pruning(text, bigint, bigint, bytea, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redact_audit_values(text, text, text, text, integer) TO forecourt_app;
GRANT EXECUTE ON FUNCTION record_log_pruning(text, bigint, bigint, bytea, text, text) TO forecourt_retention;

-- What erases waits for a second person.
ALTER TABLE approvals DROP CONSTRAINT approvals_kind_check;
ALTER TABLE approvals ADD CONSTRAINT approvals_kind_check
  CHECK (kind IN ('delegation.record', 'policy.publish', 'retention.activate', 'retention.run', 'hold.release', 'audit.redact'));
