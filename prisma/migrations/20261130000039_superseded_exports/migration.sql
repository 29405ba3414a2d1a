-- Redactions reach exports, too (docs/adr/0053-redactions-reach-exports.md). Runs as forecourt_owner with search_path = forecourt.

-- What was redacted must not be handed out any more: the export ends, with the redaction that ended it, and its pieces go.
-- lease_until of a superseded export: when its pieces are to be taken (next); null once they are gone.
ALTER TABLE audit_exports ADD COLUMN superseded_by text;
ALTER TABLE audit_exports DROP CONSTRAINT audit_exports_state_check;
ALTER TABLE audit_exports ADD CONSTRAINT audit_exports_state_check CHECK (state IN ('queued', 'running', 'ready', 'failed', 'superseded'));
ALTER TABLE audit_exports ADD CONSTRAINT audit_exports_superseded_by_check CHECK ((state = 'superseded') = (superseded_by IS NOT NULL));

-- Pieces of a superseded export are over as those of any other that has ended.
UPDATE governed_tables SET disposable = replace(disposable, $$('ready', 'failed')$$, $$('ready', 'failed', 'superseded')$$)
  WHERE table_name IN ('audit_exports', 'audit_export_parts');

-- A redaction keeps exports from beginning until it has committed: one that began before is seen by it, and one that begins
-- afterwards reads what is left. Advisory, beside the lock of holds.
CREATE FUNCTION export_lock_key(p_organization text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT hashtextextended('forecourt.audit-export:' || p_organization, 0) $$;

-- After values were erased: exports that have begun and whose rows and filter hold one of the records as it was. It is at the
-- table, so that no way of erasing passes it. The values go out of the filter, too; what was handed out before is out of reach.
CREATE FUNCTION supersede_exports() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  redaction text;
  x         record;
  holds_one boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(export_lock_key(current_tenant()));
  SELECT k.redaction_id INTO redaction FROM gone g JOIN audit_redacted_records k USING (organization_id, recorded_at, event_id) LIMIT 1;
  FOR x IN SELECT e.export_id, e.filter, (e.header ->> 'from')::bigint AS from_seq, (e.header ->> 'to')::bigint AS to_seq FROM audit_exports e
           WHERE e.organization_id = current_tenant() AND e.state IN ('running', 'ready') AND e.header IS NOT NULL ORDER BY e.export_id FOR UPDATE LOOP
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM (SELECT * FROM gone WHERE %s) AS g JOIN audit_entries k
         ON k.organization_id = g.organization_id AND k.recorded_at = g.recorded_at AND k.event_id = g.event_id WHERE k.seq >= $1 AND k.seq < $2)',
      audit_condition(x.filter)) INTO holds_one USING x.from_seq, x.to_seq;
    CONTINUE WHEN NOT holds_one;
    UPDATE audit_exports e SET state = 'superseded', superseded_by = coalesce(redaction, 'unrecorded'), manifest = NULL,
        finished_at = clock_timestamp(), lease_until = clock_timestamp(),
        filter = e.filter - ARRAY(SELECT said.key FROM jsonb_each_text(e.filter) AS said
                                  WHERE said.key IN ('actor', 'client', 'subject') AND EXISTS (SELECT FROM gone g WHERE said.value IN (g.actor, g.client)))
      WHERE e.organization_id = current_tenant() AND e.export_id = x.export_id;
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER supersede_exports AFTER UPDATE ON audit_events REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION supersede_exports();
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER supersede_exports;

-- Takes the pieces of a superseded export; their files go after them (note_files). Where a hold covers one, all stay for an hour
-- and are looked at again: nobody is handed them meanwhile.
-- @returns how many; -1 where a hold keeps them, null where there is nothing to do
CREATE FUNCTION take_superseded_parts(p_export text) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  taken   integer;
  refused text;
BEGIN
  PERFORM join_deletions(current_tenant());
  PERFORM FROM audit_exports x WHERE x.organization_id = current_tenant() AND x.export_id = p_export AND x.state = 'superseded'
    AND x.lease_until <= clock_timestamp() FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  BEGIN
    DELETE FROM audit_export_parts p WHERE p.organization_id = current_tenant() AND p.export_id = p_export;
    GET DIAGNOSTICS taken = ROW_COUNT;
  EXCEPTION WHEN restrict_violation THEN
    GET STACKED DIAGNOSTICS refused = CONSTRAINT_NAME;
    IF refused <> 'legal_hold' THEN
      RAISE;
    END IF;
    taken := -1;
  END;
  UPDATE audit_exports x SET lease_until = CASE WHEN taken < 0 THEN clock_timestamp() + interval '1 hour' END
    WHERE x.organization_id = current_tenant() AND x.export_id = p_export;
  RETURN taken;
END
$$;

-- Across organizations, before the tenant is known: ids only.
CREATE FUNCTION superseded_audit_exports(p_limit integer) RETURNS TABLE (organization_id text, export_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT x.organization_id, x.export_id FROM audit_exports x WHERE x.state = 'superseded' AND x.lease_until <= clock_timestamp()
        ORDER BY x.lease_until LIMIT least(p_limit, 1000) $$;
CREATE INDEX audit_exports_superseded ON audit_exports (lease_until) WHERE state = 'superseded';

-- ------------------------------------------------------------------------------------------------ rights
GRANT UPDATE (state, superseded_by, manifest, finished_at, lease_until, filter) ON audit_exports TO forecourt_retention;
GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION supersede_exports() OWNER TO forecourt_retention;
ALTER FUNCTION take_superseded_parts(text) OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;
REVOKE EXECUTE ON FUNCTION export_lock_key(text), supersede_exports(), take_superseded_parts(text), superseded_audit_exports(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION export_lock_key(text) TO forecourt_app, forecourt_retention;
GRANT EXECUTE ON FUNCTION audit_condition(jsonb) TO forecourt_retention;
GRANT EXECUTE ON FUNCTION take_superseded_parts(text), superseded_audit_exports(integer) TO forecourt_app;
