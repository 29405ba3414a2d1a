-- What a run counts of rows of the trail, as before: records and vaulted ones are looked up, each by its key, where there are any in
-- the slice; rows whose months have gone, and of which nothing is vaulted, cost their two hashes (docs/adr/0056-entries-by-year.md). Runs
-- as forecourt_owner with search_path = forecourt.
CREATE OR REPLACE FUNCTION audit_slice(p_run retention_runs, p_from bigint, p_to bigint, OUT hashes bytea, OUT gone_hashes bytea, OUT held_at integer[],
                            OUT rooftops jsonb, OUT holds jsonb, OUT first text, OUT last text)
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  binding boolean := EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = current_tenant() AND hold_binds(h, p_run.approved_at));
  outer_pad bytea := hmac_pad(p_run.hash_key, 92);
  inner_pad bytea := hmac_pad(p_run.hash_key, 54);
  present   boolean := NOT audit_months_gone(p_from, p_to);
  vaulted   boolean := EXISTS (SELECT FROM hold_vault v WHERE v.organization_id = current_tenant() AND v.seq >= p_from AND v.seq < p_to);
  oldest    timestamptz;
  newest    timestamptz;
BEGIN
  IF NOT present AND NOT vaulted THEN
    SELECT coalesce(string_agg(sha256(outer_pad || sha256(inner_pad || convert_to(E'audit_event\n' || k.event_id, 'UTF8'))), '' ORDER BY k.seq), ''),
      CASE WHEN count(*) = 0 THEN '{}' ELSE jsonb_build_object('(unknown)', count(*)) END
      INTO hashes, rooftops FROM audit_entries k WHERE k.organization_id = current_tenant() AND k.seq >= p_from AND k.seq < p_to;
    SELECT k.event_id INTO first FROM audit_entries k WHERE k.organization_id = current_tenant() AND k.seq >= p_from AND k.seq < p_to ORDER BY k.seq LIMIT 1;
    SELECT k.event_id INTO last FROM audit_entries k WHERE k.organization_id = current_tenant() AND k.seq >= p_from AND k.seq < p_to ORDER BY k.seq DESC LIMIT 1;
    gone_hashes := hashes;
    held_at := '{}';
    holds := '{}';
    RETURN;
  END IF;
  SELECT t.oldest, t.newest INTO oldest, newest FROM audit_times(p_from, p_to) AS t;
  WITH scanned AS MATERIALIZED (
    SELECT k.seq, k.event_id AS id, coalesce(r.rooftop_ids, v.rooftop_ids) AS rooftop_ids, v.seq IS NOT NULL OR h.ids IS NOT NULL AS kept, h.ids AS kept_by
    FROM audit_entries k
    LEFT JOIN LATERAL (SELECT e.rooftop_ids, e.canon IS NOT NULL AS there, e.nonce, e.actor, e.client, e.resource_ids FROM audit_events e WHERE present AND e.recorded_at = k.recorded_at AND e.event_id = k.event_id
                         AND e.recorded_at >= oldest AND e.recorded_at <= newest OFFSET 0) r ON true
    LEFT JOIN LATERAL (SELECT w.* FROM hold_vault w WHERE vaulted AND w.organization_id = k.organization_id AND w.seq = k.seq OFFSET 0) v ON true
    LEFT JOIN LATERAL (
      SELECT array_agg(h.hold_id ORDER BY h.hold_id) AS ids FROM legal_holds h
      WHERE binding AND h.organization_id = current_tenant() AND hold_binds(h, p_run.approved_at) AND (r.there OR v.canon IS NOT NULL)
        AND (h.covered IS NULL OR hold_covers(h, 'audit_event', k.event_id, coalesce(r.rooftop_ids, v.rooftop_ids),
             CASE WHEN coalesce(r.nonce, v.nonce) IS NOT NULL
                  THEN array_remove(ARRAY[coalesce(r.actor, v.actor), coalesce(r.client, v.client)], NULL) || coalesce(r.resource_ids, v.resource_ids) END,
             k.recorded_at))) h ON true
    WHERE k.organization_id = current_tenant() AND k.seq >= p_from AND k.seq < p_to
  ), numbered AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY s.seq) - 1 AS n, s.*, sha256(outer_pad || sha256(inner_pad || convert_to(E'audit_event\n' || s.id, 'UTF8'))) AS hash,
           CASE WHEN s.rooftop_ids IS NULL THEN '(unknown)'
                ELSE CASE cardinality(s.rooftop_ids) WHEN 0 THEN '(none)' WHEN 1 THEN s.rooftop_ids[1] ELSE '(several)' END END AS rooftop
    FROM scanned s
  )
  SELECT coalesce(string_agg(n.hash, '' ORDER BY n.n), ''),
    CASE WHEN EXISTS (SELECT FROM numbered WHERE kept) THEN (SELECT coalesce(string_agg(m.hash, '' ORDER BY m.n), '') FROM numbered m WHERE NOT m.kept) END,
    (SELECT coalesce(array_agg(m.n::integer ORDER BY m.n), '{}') FROM numbered m WHERE m.kept),
    (SELECT coalesce(jsonb_object_agg(rooftop, many), '{}') FROM (SELECT m.rooftop, count(*) AS many FROM numbered m WHERE NOT m.kept GROUP BY 1) AS by_rooftop),
    (SELECT coalesce(jsonb_object_agg(hold, many), '{}') FROM (SELECT hold, count(*) AS many FROM numbered m, unnest(m.kept_by) AS hold GROUP BY 1) AS by_hold),
    (SELECT m.id FROM numbered m WHERE NOT m.kept ORDER BY m.n LIMIT 1), (SELECT m.id FROM numbered m WHERE NOT m.kept ORDER BY m.n DESC LIMIT 1)
  INTO hashes, gone_hashes, held_at, rooftops, holds, first, last FROM numbered n;
  gone_hashes := coalesce(gone_hashes, hashes);
END
$$;
