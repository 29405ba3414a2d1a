-- How far numbering is behind (docs/adr/0050), also after a restore into another cluster: records up to `foreign_upto` may have ids
-- of the old one, so only those without a number wait (docs/adr/0048). Runs as forecourt_owner with search_path = forecourt.
CREATE OR REPLACE FUNCTION audit_lag_seconds() RETURNS double precision
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
  AS $$ SELECT extract(epoch FROM clock_timestamp() - min(recorded_at))::double precision
        FROM (SELECT e.recorded_at FROM audit_events e
              WHERE e.xid >= (SELECT pos FROM audit_horizon)
                AND (e.xid > (SELECT foreign_upto FROM audit_horizon)
                     OR NOT EXISTS (SELECT FROM audit_entries k WHERE k.recorded_at = e.recorded_at AND k.event_id = e.event_id))
              ORDER BY e.xid LIMIT 1000) AS first $$;
