-- What the database knows of the journal outside it, and doing again what a restored database has forgotten
-- (docs/adr/0048-restore-journal.md). Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ marks
-- Announced and committed before anything is written to the journal: a journal that goes further belongs to a newer database.
CREATE TABLE restore_journal_segments (
  segment_id  text PRIMARY KEY CHECK (segment_id ~ '^[0-9A-HJKMNP-TV-Z]{26}$'),
  promised    bigint NOT NULL CHECK (promised >= 0), -- no entry behind this one was written
  lost_at     timestamptz(6), -- somebody accepted that entries of it are gone
  loss_reason text CHECK (length(loss_reason) BETWEEN 1 AND 500),
  CHECK ((lost_at IS NULL) = (loss_reason IS NULL))
);

-- Written in the transaction of the change: exactly the entries whose changes are in this database.
CREATE TABLE restore_journal_entries (
  segment_id text NOT NULL REFERENCES restore_journal_segments,
  seq        bigint NOT NULL CHECK (seq >= 1),
  line_hash  bytea NOT NULL CHECK (length(line_hash) = 32),
  PRIMARY KEY (segment_id, seq)
);

-- Revocations that took effect while the journal could not be written. They follow as soon as it can.
CREATE TABLE restore_journal_owed (
  organization_id text NOT NULL REFERENCES organizations,
  owed_id         text NOT NULL CHECK (length(owed_id) BETWEEN 1 AND 128),
  revocation      jsonb NOT NULL,
  owed_since      timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (organization_id, owed_id)
);
SELECT isolate_tenant_table('restore_journal_owed');
CREATE POLICY owner_lookup ON restore_journal_owed FOR SELECT TO forecourt_owner USING (true);

CREATE FUNCTION owed_revocations(p_limit integer) RETURNS TABLE (organization_id text, owed_id text, revocation jsonb, owed_since timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT o.organization_id, o.owed_id, o.revocation, o.owed_since FROM restore_journal_owed o ORDER BY o.owed_since, o.owed_id LIMIT least(p_limit, 1000) $$;

-- ------------------------------------------------------------------------------------------------ done again
CREATE FUNCTION texts_of(p_array jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE
  AS $$ SELECT CASE WHEN jsonb_typeof(p_array) = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(p_array)) END $$;

-- Places a hold of the tenant as it was: same id, same time. With the owner's rights, because the application chooses no time.
-- Its records are counted again, and nothing of the organization is deleted until they are.
CREATE FUNCTION replay_hold(p_hold_id text, h jsonb) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  PERFORM lock_out_deletions(current_tenant());
  IF EXISTS (SELECT FROM legal_holds WHERE hold_id = p_hold_id) THEN
    RETURN 'present';
  END IF;
  INSERT INTO legal_holds (organization_id, hold_id, matter, reason, rooftop_ids, categories, subjects, record_ids, from_time, until_time, placed_by, placed_at)
  VALUES (current_tenant(), p_hold_id, h ->> 'matter', h ->> 'reason', texts_of(h -> 'rooftopIds'), texts_of(h -> 'categories'), texts_of(h -> 'subjects'),
    texts_of(h -> 'recordIds'), (h ->> 'from')::timestamptz, (h ->> 'until')::timestamptz, h ->> 'placedBy', (h ->> 'placedAt')::timestamptz);
  RETURN 'replayed';
END
$$;

CREATE FUNCTION replay_release(p_hold_id text, r jsonb) RETURNS text LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  PERFORM lock_out_deletions(current_tenant());
  UPDATE legal_holds SET released_at = (r ->> 'releasedAt')::timestamptz, released_by = r ->> 'releasedBy', release_reason = r ->> 'releaseReason',
    free_from = (r ->> 'freeFrom')::timestamptz
    WHERE hold_id = p_hold_id AND released_at IS NULL;
  IF FOUND THEN
    RETURN 'replayed';
  END IF;
  RETURN CASE WHEN EXISTS (SELECT FROM legal_holds WHERE hold_id = p_hold_id) THEN 'present' ELSE 'absent' END;
END
$$;

-- Ends what was ended, at its own time. What ended before stays as it is.
CREATE FUNCTION replay_revocation(p_what text, p_id text, p_at timestamptz) RETURNS text LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  tables CONSTANT jsonb := '{"key": ["api_keys", "key_id"], "grant": ["grants", "grant_id"], "delegation": ["group_delegations", "delegation_id"],
    "client": ["agent_clients", "agent_client_id"], "issuer": ["trusted_issuers", "trusted_issuer_id"]}';
  one     record;
  changed bigint := 0;
  known   boolean;
BEGIN
  IF p_what = 'person' THEN
    UPDATE staff_persons SET disabled_at = p_at, version = version + 1, updated_at = greatest(now(), updated_at) WHERE person_id = p_id AND disabled_at IS NULL;
    RETURN CASE WHEN FOUND THEN 'replayed' WHEN EXISTS (SELECT FROM staff_persons WHERE person_id = p_id) THEN 'present' ELSE 'absent' END;
  END IF;
  IF p_what = 'organization' THEN
    UPDATE organizations SET state = 'offboarded', version = version + 1, updated_at = now() WHERE organization_id = current_tenant() AND state <> 'offboarded';
    IF FOUND THEN
      INSERT INTO organization_states (organization_id, ordinal, state, author, created_at)
        SELECT current_tenant(), max(ordinal) + 1, 'offboarded', 'forecourt', p_at FROM organization_states;
      changed := 1;
    END IF;
    FOR one IN SELECT value ->> 0 AS name FROM jsonb_each(tables) LOOP
      EXECUTE format('WITH ended AS (UPDATE %I SET revoked_at = $1 WHERE organization_id = current_tenant() AND revoked_at IS NULL RETURNING 1)
                      SELECT $2 + count(*) FROM ended', one.name) USING p_at, changed INTO changed;
    END LOOP;
    RETURN CASE WHEN changed > 0 THEN 'replayed' WHEN EXISTS (SELECT FROM organizations) THEN 'present' ELSE 'absent' END;
  END IF;
  IF NOT tables ? p_what THEN
    RAISE EXCEPTION 'a revocation of an unknown kind' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  EXECUTE format('WITH ended AS (UPDATE %I SET revoked_at = $2 WHERE organization_id = current_tenant() AND %I = $1 AND revoked_at IS NULL RETURNING 1)
                  SELECT count(*) FROM ended', tables -> p_what ->> 0, tables -> p_what ->> 1) USING p_id, p_at INTO changed;
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE organization_id = current_tenant() AND %I = $1)', tables -> p_what ->> 0, tables -> p_what ->> 1)
    USING p_id INTO known;
  RETURN CASE WHEN changed > 0 THEN 'replayed' WHEN known THEN 'present' ELSE 'absent' END;
END
$$;

-- ------------------------------------------------------------------------------------------------ the audit horizon
-- Transaction ids count on in one cluster only. Records up to `foreign_upto` may have ids of another one, so a number says nothing
-- about them: whether they have their place in the log is looked up. Costs nothing any more once this cluster is past them.
ALTER TABLE audit_horizon ADD COLUMN foreign_upto xid8 NOT NULL DEFAULT '0';

-- Whether records lie in what this cluster takes for the future: they came out of another one.
CREATE FUNCTION audit_horizon_is_foreign() RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT h.pos > pg_snapshot_xmax(pg_current_snapshot())
            OR EXISTS (SELECT FROM audit_events e WHERE e.xid >= pg_snapshot_xmax(pg_current_snapshot()) AND e.xid > h.foreign_upto) FROM audit_horizon h $$;

-- Puts the horizon where this cluster is, and numbers what came without a number. Whatever commits meanwhile lies behind the
-- horizon of this snapshot and is numbered as always. -1 while a sequencer is at work.
CREATE FUNCTION reset_audit_horizon() RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  lo       xid8;
  ahead    xid8;
  numbered bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('forecourt.audit_sequencer')) THEN
    RETURN -1;
  END IF;
  PERFORM FROM audit_horizon FOR UPDATE;
  SELECT pg_snapshot_xmin(pg_current_snapshot()), coalesce(max(xid), '0') INTO lo, ahead FROM audit_events;
  WITH pending AS (
    SELECT organization_id, recorded_at, event_id, leaf, row_number() OVER (PARTITION BY organization_id ORDER BY recorded_at, event_id) AS n
    FROM audit_events e
    WHERE (xid < lo OR xid >= pg_snapshot_xmax(pg_current_snapshot()))
      AND NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id)
  ), counts AS (
    SELECT organization_id, max(n) AS n FROM pending GROUP BY organization_id
  ), heads AS (
    INSERT INTO audit_logs AS l (organization_id, size) SELECT organization_id, n FROM counts
    ON CONFLICT (organization_id) DO UPDATE SET size = l.size + excluded.size
    RETURNING organization_id, size
  )
  INSERT INTO audit_entries (organization_id, seq, recorded_at, event_id, leaf_hash)
  SELECT p.organization_id, h.size - c.n + p.n - 1, p.recorded_at, p.event_id, p.leaf
  FROM pending p JOIN counts c USING (organization_id) JOIN heads h USING (organization_id);
  GET DIAGNOSTICS numbered = ROW_COUNT;
  UPDATE audit_horizon SET pos = lo, foreign_upto = greatest(foreign_upto, ahead);
  RETURN numbered;
END
$$;

-- As before; records whose ids may be another cluster's are looked up.
CREATE OR REPLACE FUNCTION sequence_audit(p_limit integer) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  lo       xid8;
  hi       xid8;
  cut      xid8;
  strange  xid8;
  numbered bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('forecourt.audit_sequencer')) THEN
    RETURN -1;
  END IF;
  SELECT pos, foreign_upto INTO lo, strange FROM audit_horizon FOR UPDATE;
  hi := pg_snapshot_xmin(pg_current_snapshot());
  SELECT xid INTO cut FROM audit_events WHERE xid >= lo AND xid < hi ORDER BY xid OFFSET greatest(p_limit, 1) LIMIT 1;
  IF FOUND THEN
    IF cut = (SELECT min(xid) FROM audit_events WHERE xid >= lo AND xid < hi) THEN
      SELECT coalesce(min(xid), hi) INTO cut FROM audit_events WHERE xid > cut AND xid < hi;
    END IF;
    hi := cut;
  END IF;
  WITH pending AS (
    SELECT organization_id, recorded_at, event_id, leaf,
           row_number() OVER (PARTITION BY organization_id ORDER BY xid, recorded_at, event_id) AS n
    FROM audit_events e
    WHERE xid >= lo AND xid < hi
      AND ((lo > '0' AND xid > strange) OR NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id))
  ), counts AS (
    SELECT organization_id, max(n) AS n FROM pending GROUP BY organization_id
  ), heads AS (
    INSERT INTO audit_logs AS l (organization_id, size) SELECT organization_id, n FROM counts
    ON CONFLICT (organization_id) DO UPDATE SET size = l.size + excluded.size
    RETURNING organization_id, size
  )
  INSERT INTO audit_entries (organization_id, seq, recorded_at, event_id, leaf_hash)
  SELECT p.organization_id, h.size - c.n + p.n - 1, p.recorded_at, p.event_id, p.leaf
  FROM pending p JOIN counts c USING (organization_id) JOIN heads h USING (organization_id);
  GET DIAGNOSTICS numbered = ROW_COUNT;
  UPDATE audit_horizon SET pos = hi WHERE pos < hi;
  RETURN numbered;
END
$$;

CREATE OR REPLACE FUNCTION audit_lag_seconds() RETURNS double precision
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT extract(epoch FROM clock_timestamp() - min(e.recorded_at))::double precision FROM audit_events e, audit_horizon h
        WHERE e.xid >= h.pos AND (e.xid > h.foreign_upto OR NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id)) $$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT CREATE ON SCHEMA forecourt TO forecourt_sequencer;
ALTER FUNCTION audit_horizon_is_foreign() OWNER TO forecourt_sequencer;
ALTER FUNCTION reset_audit_horizon() OWNER TO forecourt_sequencer;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_sequencer;
REVOKE EXECUTE ON FUNCTION owed_revocations(integer), texts_of(jsonb), replay_hold(text, jsonb), replay_release(text, jsonb),
  replay_revocation(text, text, timestamptz), audit_horizon_is_foreign(), reset_audit_horizon() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION owed_revocations(integer), texts_of(jsonb), replay_hold(text, jsonb), replay_release(text, jsonb),
  replay_revocation(text, text, timestamptz), audit_horizon_is_foreign(), reset_audit_horizon() TO forecourt_app;
GRANT SELECT, INSERT, UPDATE ON restore_journal_segments TO forecourt_app;
GRANT SELECT, INSERT ON restore_journal_entries TO forecourt_app;
GRANT SELECT, INSERT, DELETE ON restore_journal_owed TO forecourt_app;
