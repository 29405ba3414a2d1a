-- Places where data of persons is that came after the first ones (docs/adr/0049-privacy-requests.md). Runs as forecourt_owner with
-- search_path = forecourt.

-- As before, and with names in what a row says, too: a person's rows in one place, in order of their ids from behind p_after: what decides about each, and what it says. For
-- previews, runs and access alike; the caller's own rights and tenant.
CREATE OR REPLACE FUNCTION subject_records(p_place text, p_names jsonb, p_after text, p_limit integer)
  RETURNS TABLE (record_id text, category text, rooftops text[], clocks jsonb, holds jsonb, keeps text, said jsonb)
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
#variable_conflict use_column
DECLARE
  p subject_places := (subject_place(p_place)).place;
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT (%1$s)::text, %2$L, (%3$s)::text[], jsonb_build_object(%4$s),
            (SELECT coalesce(jsonb_agg(jsonb_build_object(''holdId'', h.hold_id, ''counting'', h.covered IS NULL,
                      ''freeFrom'', floor(extract(epoch FROM h.free_from) * 1000))), ''[]'') FROM %5$s), %11$L::text, %6$s
     FROM %7$I r WHERE r.organization_id = current_tenant() AND (%8$s) AND (%1$s)::text > %9$L ORDER BY 1 LIMIT %10$s',
    p.record_id, p.category, p.rooftops,
    (SELECT string_agg(format('%L, floor(extract(epoch FROM (%s)) * 1000)', basis, expression), ', ') FROM jsonb_each_text(p.clocks) AS c(basis, expression)),
    covering_holds(p_place, all_subject_names(p_names)), with_names(p.said, p_names), p.table_name, with_names(p.found, p_names), p_after, greatest(least(p_limit, 1000), 0), p.keeps);
END
$$;

-- A vaulted record stays for its hold alone; without one, it goes whole: its log is pruned there.
INSERT INTO subject_places (place, table_name, category, record_id, clocks, found, said, erases, keeps) VALUES
  ('hold_vault', 'hold_vault', 'audit_event', 'r.event_id', '{"created":"r.recorded_at"}',
   'r.actor = ANY (subject_names(:names, ''person'', ''agent'', ''key'')) OR r.client = ANY (subject_names(:names, ''client''))',
   'jsonb_build_object(''event_id'', r.event_id, ''occurred_at'', r.occurred_at, ''operation'', r.operation, ''outcome'', r.outcome, ''rooftop_ids'', r.rooftop_ids)',
   'DELETE', NULL),
  ('hold_notices', 'hold_notices', 'legal_hold', 'r.notice_id', '{"created":"r.sent_at"}',
   'r.person_id = ANY (subject_names(:names, ''person'')) OR r.sent_by = ANY (subject_names(:names, ''person'', ''key'')) OR r.escalate_to = ANY (subject_names(:names, ''person''))',
   'jsonb_build_object(''notice_id'', r.notice_id, ''hold_id'', r.hold_id, ''sent_at'', r.sent_at, ''acknowledged_at'', CASE WHEN r.person_id = ANY (subject_names(:names, ''person'')) THEN r.acknowledged_at END)',
   'KEEP', 'pseudonymous id; who was told of a legal hold'),
  ('retention_policy_versions', 'retention_policy_versions', 'policy_version', 'r.version::text', '{"created":"r.activated_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key'')) OR r.approvers && subject_names(:names, ''person'')',
   'jsonb_build_object(''version'', r.version, ''activated_at'', r.activated_at)',
   'KEEP', 'pseudonymous id; who answers for a version of a policy'),
  ('retention_policy_drafts', 'retention_policy_drafts', 'policy_version', 'r.draft_id', '{"created":"r.created_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key''))',
   'jsonb_build_object(''draft_id'', r.draft_id, ''reason'', r.reason, ''created_at'', r.created_at)',
   'KEEP', 'pseudonymous id; who answers for a draft of a policy'),
  ('retention_runs', 'retention_runs', 'deletion_record', 'r.run_id', '{"created":"r.requested_at"}',
   'r.requested_by = ANY (subject_names(:names, ''person'', ''key'')) OR r.approvers && subject_names(:names, ''person'')',
   'jsonb_build_object(''run_id'', r.run_id, ''requested_at'', r.requested_at)',
   'KEEP', 'pseudonymous id; who answers for a deletion'),
  ('organization_states', 'organization_states', 'access_history', 'r.ordinal::text', '{"created":"r.created_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key''))',
   'jsonb_build_object(''state'', r.state, ''created_at'', r.created_at)',
   'KEEP', 'pseudonymous id; who answers for a state of the organization'),
  ('rooftop_transfers', 'rooftop_transfers', 'access_history', 'r.move_id', '{"created":"r.created_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key''))',
   'jsonb_build_object(''move_id'', r.move_id, ''rooftop_id'', r.rooftop_id, ''created_at'', r.created_at)',
   'KEEP', 'pseudonymous id; who answers for the move of a rooftop');
