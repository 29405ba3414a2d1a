-- The audit log (docs/adr/0030-audit-log.md): records get a place in their organization's Merkle tree after they have committed.
-- Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ append-only
-- Rights keep the application away; these keep away slips of whoever has more. ALWAYS: replica mode does not switch them off.
-- They fire for each row, because a statement trigger of the parent misses statements that are aimed at a partition.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'audit records are never changed or deleted (% on %)', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER audit_events_are_final BEFORE UPDATE OR DELETE ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE audit_events ENABLE ALWAYS TRIGGER audit_events_are_final;

-- ------------------------------------------------------------------------------------------------ the log
-- Everything before `pos` has its number. Transaction ids count on in one cluster only: after a restore into another one, pos
-- goes back to the start and what has no number yet is found by the entries that are there.
CREATE TABLE audit_horizon (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  pos      xid8 NOT NULL
);
INSERT INTO audit_horizon (pos) VALUES ('0');

CREATE TABLE audit_logs (
  organization_id text PRIMARY KEY,
  size            bigint NOT NULL CHECK (size > 0)
);

-- Leaves in order. `seq` counts from 0: it is the index in the tree. Order in the log is this number, never a timestamp.
CREATE TABLE audit_entries (
  organization_id text NOT NULL,
  seq             bigint NOT NULL CHECK (seq >= 0),
  recorded_at     timestamptz(6) NOT NULL,
  event_id        text NOT NULL,
  leaf_hash       bytea NOT NULL CHECK (length(leaf_hash) = 32),
  PRIMARY KEY (organization_id, seq),
  UNIQUE (recorded_at, event_id) -- no record is numbered twice
);

-- Full tiles of 256 hashes (C2SP tlog-tiles): tile level n holds tree level 8n. Level 0 is a second copy of the leaves.
CREATE TABLE audit_tiles (
  organization_id text NOT NULL,
  tile_level      smallint NOT NULL CHECK (tile_level BETWEEN 0 AND 6),
  tile_index      bigint NOT NULL CHECK (tile_index >= 0),
  hashes          bytea NOT NULL CHECK (length(hashes) = 8192),
  PRIMARY KEY (organization_id, tile_level, tile_index)
);

-- Signed notes (C2SP tlog-checkpoint), with a heartbeat while nothing happens.
CREATE TABLE audit_checkpoints (
  organization_id text NOT NULL,
  signed_at       timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  size            bigint NOT NULL CHECK (size > 0),
  root            bytea NOT NULL CHECK (length(root) = 32),
  note            text NOT NULL,
  PRIMARY KEY (organization_id, size, signed_at)
);

CREATE INDEX audit_events_by_xid ON audit_events (xid);
-- What support, and whoever asks what somebody reached, look for. Anonymous calls have no actor and cost nothing here.
CREATE INDEX audit_events_by_trace ON audit_events (organization_id, trace_id);
CREATE INDEX audit_events_by_event ON audit_events (organization_id, event_id);
CREATE INDEX audit_events_by_actor ON audit_events (organization_id, actor, recorded_at DESC) WHERE actor IS NOT NULL;

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['audit_logs', 'audit_entries', 'audit_tiles', 'audit_checkpoints']) AS t;

DO $final$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['audit_entries', 'audit_tiles', 'audit_checkpoints'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()', t || '_are_final', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', t, t || '_are_final');
  END LOOP;
  FOREACH t IN ARRAY ARRAY['audit_events', 'audit_entries', 'audit_tiles', 'audit_checkpoints'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', t || '_are_kept', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I', t, t || '_are_kept');
  END LOOP;
END
$final$;

-- ------------------------------------------------------------------------------------------------ numbering
-- The sequencer sees the records of all organizations and writes numbers, nothing else; nobody logs in as it. The application
-- may call its one function and choose nothing about the result.
GRANT SELECT ON audit_events TO forecourt_sequencer;
GRANT SELECT, UPDATE ON audit_horizon TO forecourt_sequencer;
GRANT SELECT, INSERT, UPDATE ON audit_logs TO forecourt_sequencer;
GRANT SELECT, INSERT ON audit_entries TO forecourt_sequencer;
GRANT SELECT ON audit_checkpoints TO forecourt_sequencer;
CREATE POLICY sequencing ON audit_events FOR SELECT TO forecourt_sequencer USING (true);
CREATE POLICY sequencing ON audit_logs TO forecourt_sequencer USING (true) WITH CHECK (true);
CREATE POLICY sequencing ON audit_entries TO forecourt_sequencer USING (true) WITH CHECK (true);
CREATE POLICY sequencing ON audit_checkpoints FOR SELECT TO forecourt_sequencer USING (true);

-- Numbers committed records, about p_limit of them; -1 while another sequencer is at work. Every transaction below the horizon
-- has ended, so nothing can appear behind it: numbering by the highest id seen would skip what commits late. A transaction
-- is numbered whole, however large.
CREATE FUNCTION sequence_audit(p_limit integer) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  lo       xid8;
  hi       xid8;
  cut      xid8;
  numbered bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('forecourt.audit_sequencer')) THEN
    RETURN -1;
  END IF;
  SELECT pos INTO lo FROM audit_horizon FOR UPDATE;
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
      AND (lo > '0' OR NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id))
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

-- Logs whose newest checkpoint does not cover them, or is older than the heartbeat.
CREATE FUNCTION audit_logs_due(p_heartbeat interval) RETURNS TABLE (organization_id text, size bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT l.organization_id, l.size FROM audit_logs l
        LEFT JOIN LATERAL (SELECT c.size, c.signed_at FROM audit_checkpoints c WHERE c.organization_id = l.organization_id
                           ORDER BY c.size DESC, c.signed_at DESC LIMIT 1) newest ON true
        WHERE newest.size IS NULL OR newest.size < l.size OR newest.signed_at < clock_timestamp() - p_heartbeat
        ORDER BY l.organization_id $$;

-- How far numbering is behind: the age of the oldest record without a number, in seconds; null when there is none.
CREATE FUNCTION audit_lag_seconds() RETURNS double precision
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT extract(epoch FROM clock_timestamp() - min(recorded_at))::double precision FROM audit_events
        WHERE xid >= (SELECT pos FROM audit_horizon) $$;

-- A new owner needs CREATE on the schema for the moment of the change alone.
GRANT CREATE ON SCHEMA forecourt TO forecourt_sequencer;
ALTER FUNCTION sequence_audit(integer) OWNER TO forecourt_sequencer;
ALTER FUNCTION audit_logs_due(interval) OWNER TO forecourt_sequencer;
ALTER FUNCTION audit_lag_seconds() OWNER TO forecourt_sequencer;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_sequencer;

REVOKE EXECUTE ON FUNCTION refuse_audit_change(), sequence_audit(integer), audit_logs_due(interval), audit_lag_seconds() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sequence_audit(integer), audit_logs_due(interval), audit_lag_seconds() TO forecourt_app;
GRANT SELECT ON audit_horizon, audit_logs, audit_entries TO forecourt_app;
GRANT SELECT, INSERT ON audit_tiles TO forecourt_app;
GRANT SELECT, INSERT (organization_id, size, root, note) ON audit_checkpoints TO forecourt_app;
