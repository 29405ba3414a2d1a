-- Which exports a redaction ends, as before (migration 39), and looked up among entries of its own years: a run redacts old records batch by
-- batch, and exports of young ones are not read through for each (docs/adr/0059-redact-and-anonymise.md). Runs as forecourt_owner with
-- search_path = forecourt.
CREATE OR REPLACE FUNCTION supersede_exports() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  redaction text;
  oldest    timestamptz;
  newest    timestamptz;
  x         record;
  holds_one boolean;
BEGIN
  SELECT min(g.recorded_at), max(g.recorded_at) INTO oldest, newest FROM gone g;
  IF oldest IS NULL THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(export_lock_key(current_tenant()));
  SELECT k.redaction_id INTO redaction FROM gone g JOIN audit_redacted_records k USING (organization_id, recorded_at, event_id) LIMIT 1;
  FOR x IN SELECT e.export_id, e.filter, (e.header ->> 'from')::bigint AS from_seq, (e.header ->> 'to')::bigint AS to_seq FROM audit_exports e
           WHERE e.organization_id = current_tenant() AND e.state IN ('running', 'ready') AND e.header IS NOT NULL ORDER BY e.export_id FOR UPDATE LOOP
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM (SELECT * FROM gone WHERE %s) AS g JOIN audit_entries k
         ON k.organization_id = g.organization_id AND k.recorded_at = g.recorded_at AND k.event_id = g.event_id
         WHERE k.seq >= $1 AND k.seq < $2 AND k.recorded_at >= $3 AND k.recorded_at <= $4)',
      audit_condition(x.filter)) INTO holds_one USING x.from_seq, x.to_seq, oldest, newest;
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
