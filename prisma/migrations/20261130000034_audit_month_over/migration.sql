-- Whether a month of the trail is over: as before, with the cutoffs of each run under a name of their own (docs/adr/0047). Runs as
-- forecourt_owner with search_path = forecourt.
CREATE OR REPLACE FUNCTION audit_month_over(p_from timestamptz, p_to timestamptz) RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM audit_month_tenants(p_from, p_to) AS tenant WHERE NOT EXISTS (
               SELECT FROM audit_prunings p JOIN retention_runs r ON r.organization_id = p.organization_id AND r.run_id = p.run_id AND r.approved_at IS NOT NULL,
                    run_cutoffs(r, 'audit_event') AS own, audit_over_bounds(own) AS bounds
               WHERE p.organization_id = tenant AND bounds.all_before >= p_to)) THEN
    RETURN false;
  END IF;
  RETURN NOT EXISTS (
    WITH records AS MATERIALIZED (
      SELECT e.organization_id, count(*) AS n FROM audit_events e WHERE e.recorded_at >= p_from AND e.recorded_at < p_to GROUP BY 1
    ), entries AS MATERIALIZED (
      SELECT k.organization_id, count(*) AS n, max(k.seq) AS last FROM audit_entries k WHERE k.recorded_at >= p_from AND k.recorded_at < p_to GROUP BY 1
    ), vaulted AS (
      SELECT v.organization_id, count(*) AS n FROM hold_vault v JOIN audit_entries k ON k.organization_id = v.organization_id AND k.seq = v.seq
      WHERE v.recorded_at >= p_from AND v.recorded_at < p_to GROUP BY 1
    ), pruned AS (
      SELECT p.organization_id, max(p.min_index) AS min_index FROM audit_prunings p
      JOIN audit_entries k ON k.organization_id = p.organization_id AND k.recorded_at = p.pruned_at AND k.event_id = p.event_id GROUP BY 1
    )
    SELECT FROM records LEFT JOIN entries USING (organization_id) LEFT JOIN vaulted USING (organization_id) LEFT JOIN pruned USING (organization_id)
    WHERE records.n IS DISTINCT FROM entries.n - coalesce(vaulted.n, 0) OR coalesce(entries.last >= pruned.min_index, true));
END
$$;
