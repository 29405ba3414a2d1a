-- Requests of persons to be forgotten or to see what is kept of them (docs/adr/0049-privacy-requests.md): where their data is,
-- how it is erased without touching what a hold covers, and the requests. Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ places
-- Every place where data of a person can be: SQL expressions over a row (alias r), written by migrations only. `:names` stands
-- for what the person is called, by kind: {"person": ["staff.a"]}; `:mark` for what is put in place of a name.
CREATE TABLE subject_places (
  place      text PRIMARY KEY,
  table_name name NOT NULL,
  found      text NOT NULL, -- boolean: the row is about the person
  said       text NOT NULL, -- jsonb: what the person gets to see of it; nothing of other persons
  erases     text NOT NULL, -- DELETE, REDACT (of audit records alone), KEEP, or what an UPDATE sets
  keeps      text CHECK ((erases = 'KEEP') = (keeps IS NOT NULL)), -- why it stays
  -- What governed_tables says, for tables that are not in it.
  category   text NOT NULL,
  record_id  text NOT NULL,
  rooftops   text NOT NULL DEFAULT '''{}''::text[]',
  clocks     jsonb NOT NULL CHECK (clocks ? 'created')
);

CREATE FUNCTION subject_names(p_names jsonb, VARIADIC p_kinds text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(array_agg(name), '{}') FROM unnest(p_kinds) AS kind, jsonb_array_elements_text(coalesce(p_names -> kind, '[]')) AS name $$;
CREATE FUNCTION all_subject_names(p_names jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT coalesce(array_agg(name), '{}') FROM jsonb_each(p_names) AS k(kind, names), jsonb_array_elements_text(names) AS name $$;
-- Whether a text has one of the names as a word of its own.
CREATE FUNCTION says_name(p_text text, p_names text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT EXISTS (SELECT FROM unnest(p_names) AS name
          WHERE p_text ~ ('(^|[^A-Za-z0-9._:-])' || regexp_replace(name, '([.*+?^${}()|\[\]\\])', '\\\1', 'g') || '($|[^A-Za-z0-9_:-])')) $$;

-- How rows of a place are read: governed_tables first, the place's own words else.
CREATE FUNCTION subject_place(p_place text, OUT place subject_places, OUT subjects text) LANGUAGE plpgsql STABLE AS $$
DECLARE
  g governed_tables;
BEGIN
  SELECT * INTO STRICT place FROM subject_places p WHERE p.place = p_place;
  SELECT * INTO g FROM governed_tables t WHERE t.table_name = place.table_name;
  subjects := '''{}''::text[]';
  IF FOUND THEN
    place.category := g.category; place.record_id := g.record_id; place.rooftops := g.rooftops; place.clocks := g.clocks;
    subjects := g.subjects;
  END IF;
END
$$;

-- Of a row r: the holds that cover it, as legal_holds h. A hold that names the person under any of their names covers all that
-- is theirs. Unknown subjects stay unknown, so that they pass no hold.
CREATE FUNCTION covering_holds(p_place text, p_names text[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  p record := subject_place(p_place);
BEGIN
  RETURN format('legal_holds h WHERE h.organization_id = r.organization_id AND hold_binds(h, nullif(current_setting(''app.retention_approved_at'', true), '''')::timestamptz)
    AND (h.covered IS NULL OR hold_covers(h, %L, %s, %s, (%s) || %L::text[], %s))',
    (p.place).category, (p.place).record_id, (p.place).rooftops, p.subjects, p_names, (p.place).clocks ->> 'created');
END
$$;

-- What the person is called, put into the expressions of a place.
CREATE FUNCTION with_names(p_expression text, p_names jsonb, p_mark text DEFAULT '') RETURNS text LANGUAGE sql IMMUTABLE
  AS $$ SELECT replace(replace(p_expression, ':names', quote_literal(p_names::text) || '::jsonb'), ':mark', quote_literal(p_mark)) $$;

-- A person's rows in one place, in order of their ids from behind p_after: what decides about each, and what it says. For
-- previews, runs and access alike; the caller's own rights and tenant.
CREATE FUNCTION subject_records(p_place text, p_names jsonb, p_after text, p_limit integer)
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
    covering_holds(p_place, all_subject_names(p_names)), p.said, p.table_name, with_names(p.found, p_names), p_after, greatest(least(p_limit, 1000), 0), p.keeps);
END
$$;

-- Erases these rows of the person, those aside that a hold covers. Runs as forecourt_retention inside the tenant of the
-- transaction. Locks first and looks in a statement of its own, as every deletion does (docs/adr/0043-holds-and-the-guard.md).
-- @returns the ids that it erased
CREATE FUNCTION erase_subject_records(p_place text, p_names jsonb, p_ids text[], p_mark text) RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  p   subject_places := (subject_place(p_place)).place;
  own text;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' OR p_mark !~ '^erased[a-z0-9:._-]{0,120}$' OR p.erases IN ('KEEP', 'REDACT') THEN
    RAISE EXCEPTION 'nothing of % is erased like this', p_place USING ERRCODE = 'restrict_violation';
  END IF;
  PERFORM join_deletions(current_tenant());
  own := format('r.organization_id = current_tenant() AND (%s)::text = ANY (%L::text[]) AND (%s) AND NOT EXISTS (SELECT FROM %s)',
                p.record_id, p_ids, with_names(p.found, p_names), covering_holds(p_place, all_subject_names(p_names)));
  IF p.table_name = 'audit_exports' THEN -- the pieces of the file first
    EXECUTE format('DELETE FROM audit_export_parts c USING audit_exports r WHERE c.organization_id = r.organization_id AND c.export_id = r.export_id AND %s', own);
  END IF;
  RETURN QUERY EXECUTE CASE p.erases
    WHEN 'DELETE' THEN format('DELETE FROM %I r WHERE %s RETURNING (%s)::text', p.table_name, own, p.record_id)
    ELSE format('UPDATE %I r SET %s WHERE %s RETURNING (%s)::text', p.table_name, with_names(p.erases, p_names, p_mark), own, p.record_id) END;
END
$$;

-- Behind it: whatever forecourt_retention changes in one of these tables, a hold must not cover. What the application changes
-- in its own name (a revocation, a sign-in) takes nothing away and is not asked.
CREATE FUNCTION guard_erasure() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  tenant  text;
  refused record;
BEGIN
  FOR tenant IN SELECT DISTINCT r.organization_id FROM gone r ORDER BY 1 LOOP
    PERFORM join_deletions(tenant);
  END LOOP;
  EXECUTE format('SELECT h.hold_id FROM gone r, %s LIMIT 1', covering_holds(TG_ARGV[0], '{}')) INTO refused;
  IF refused.hold_id IS NOT NULL THEN
    RAISE EXCEPTION 'hold % covers a record of %', refused.hold_id, TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = 'legal_hold', DETAIL = refused.hold_id;
  END IF;
  RETURN NULL;
END
$$;

-- ------------------------------------------------------------------------------------------------ where data of persons is
INSERT INTO subject_places (place, table_name, category, record_id, clocks, found, said, erases, keeps) VALUES
  ('staff_codes', 'staff_codes', 'session', 'r.code_id', '{"created":"r.created_at"}',
   'r.person_id = ANY (subject_names(:names, ''person''))',
   'jsonb_build_object(''created_at'', r.created_at, ''expires_at'', r.expires_at, ''spent_at'', r.spent_at)', 'DELETE', NULL),
  ('staff_persons', 'staff_persons', 'access_history', 'r.person_id', '{"created":"r.created_at","closed":"r.disabled_at"}',
   'r.person_id = ANY (subject_names(:names, ''person'')) AND (r.name <> ''erased'' OR r.subject IS NOT NULL)',
   'jsonb_build_object(''person_id'', r.person_id, ''name'', r.name, ''role'', r.role, ''issuer'', r.issuer, ''subject'', r.subject, ''created_at'', r.created_at, ''disabled_at'', r.disabled_at)',
   'name = ''erased'', issuer = NULL, subject = NULL, claims_at = NULL, role = CASE r.role WHEN ''none'' THEN ''auditor'' ELSE r.role END, disabled_at = coalesce(r.disabled_at, now()), version = r.version + 1, updated_at = now()', NULL),
  ('api_key_versions', 'api_key_versions', 'access_history', 'r.key_id || ''/'' || r.version', '{"created":"r.created_at"}',
   'r.key_id = ANY (subject_names(:names, ''key'')) AND r.name <> ''erased''',
   'jsonb_build_object(''key_id'', r.key_id, ''version'', r.version, ''name'', r.name, ''networks'', r.networks, ''created_at'', r.created_at)',
   'name = ''erased'', networks = ''{}''', NULL),
  ('api_keys', 'api_keys', 'access_history', 'r.key_id', '{"created":"r.created_at","closed":"least(r.revoked_at, r.expires_at, r.retires_at)","last_used":"r.last_used_at"}',
   'r.key_id = ANY (subject_names(:names, ''key'')) AND r.name <> ''erased''',
   'jsonb_build_object(''key_id'', r.key_id, ''name'', r.name, ''role'', r.role, ''networks'', r.networks, ''created_at'', r.created_at, ''last_used_at'', r.last_used_at, ''revoked_at'', r.revoked_at)',
   'name = ''erased'', networks = ''{}'', revoked_at = coalesce(r.revoked_at, now())', NULL),
  ('agent_clients', 'agent_clients', 'access_history', 'r.agent_client_id', '{"created":"r.created_at","closed":"r.revoked_at"}',
   'r.agent_client_id = ANY (subject_names(:names, ''client'')) AND r.client_id NOT LIKE ''erased:%''',
   'jsonb_build_object(''agent_client_id'', r.agent_client_id, ''issuer'', r.issuer, ''client_id'', r.client_id, ''name'', r.name, ''created_at'', r.created_at, ''revoked_at'', r.revoked_at)',
   'name = ''erased'', client_id = :mark, revoked_at = coalesce(r.revoked_at, now())', NULL),
  ('grants', 'grants', 'access_history', 'r.grant_id || ''/'' || r.version', '{"created":"r.created_at","closed":"least(r.revoked_at, r.expires_at)"}',
   'r.subject = ANY (subject_names(:names, ''agent''))',
   'jsonb_build_object(''grant_id'', r.grant_id, ''version'', r.version, ''subject'', r.subject, ''rooftop_ids'', r.rooftop_ids, ''scopes'', r.scopes, ''created_at'', r.created_at, ''expires_at'', r.expires_at, ''revoked_at'', r.revoked_at)',
   'subject = :mark, revoked_at = coalesce(r.revoked_at, now())', NULL),
  ('group_delegations', 'group_delegations', 'access_history', 'r.delegation_id', '{"created":"r.created_at","closed":"least(r.revoked_at, r.expires_at)"}',
   'r.grantee = ANY (subject_names(:names, ''agent''))',
   'jsonb_build_object(''delegation_id'', r.delegation_id, ''grantee'', r.grantee, ''covers'', r.covers, ''scopes'', r.scopes, ''created_at'', r.created_at, ''expires_at'', r.expires_at, ''revoked_at'', r.revoked_at)',
   'grantee = :mark, revoked_at = coalesce(r.revoked_at, now())', NULL),
  ('idempotency_keys', 'idempotency_keys', 'idempotency_record', 'r.owner || ''/'' || r.operation || ''/'' || encode(r.key_hash, ''hex'')', '{"created":"r.created_at"}',
   'says_name(r.reply::text, all_subject_names(:names))',
   'jsonb_build_object(''operation'', r.operation, ''created_at'', r.created_at)',
   'reply = jsonb_set(r.reply, ''{data}'', ''{"erased": true}'')', NULL),
  ('approval_summaries', 'approvals', 'approval', 'r.approval_id', '{"created":"r.requested_at","closed":"r.ended_at"}',
   'says_name(r.summary, all_subject_names(:names))',
   'jsonb_build_object(''approval_id'', r.approval_id, ''kind'', r.kind, ''requested_at'', r.requested_at)',
   'summary = ''erased''', NULL),
  ('audit_targets', 'audit_targets', 'audit_export', 'r.target_id', '{"created":"r.created_at","closed":"r.revoked_at"}',
   'r.target_id = ANY (subject_names(:names, ''recipient'')) AND r.address <> ''erased@forecourt.invalid''',
   'jsonb_build_object(''target_id'', r.target_id, ''kind'', r.kind, ''address'', r.address, ''created_at'', r.created_at, ''revoked_at'', r.revoked_at)',
   'address = ''erased@forecourt.invalid'', revoked_at = coalesce(r.revoked_at, now())', NULL),
  -- An export may hold records of theirs when there were some by then: it is a copy, and can be made again.
  ('audit_exports', 'audit_exports', 'audit_export', 'r.export_id', '{"created":"r.requested_at","closed":"r.finished_at"}',
   'says_name(r.filter::text, all_subject_names(:names)) OR r.requested_by = ANY (SELECT ''person:'' || name FROM unnest(subject_names(:names, ''person'')) AS name)
    OR EXISTS (SELECT FROM audit_events e WHERE e.organization_id = r.organization_id AND e.recorded_at <= coalesce(r.finished_at, now())
       AND (e.actor = ANY (subject_names(:names, ''person'', ''agent'', ''key'')) OR e.client = ANY (subject_names(:names, ''client''))))',
   'jsonb_build_object(''export_id'', r.export_id, ''requested_at'', r.requested_at, ''records'', r.records)', 'DELETE', NULL),
  ('audit_events', 'audit_events', 'audit_event', 'r.event_id', '{"created":"r.recorded_at"}',
   'r.nonce IS NOT NULL AND (r.actor = ANY (subject_names(:names, ''person'', ''agent'', ''key'')) OR r.client = ANY (subject_names(:names, ''client'')))',
   'jsonb_build_object(''event_id'', r.event_id, ''occurred_at'', r.occurred_at, ''surface'', r.surface, ''operation'', r.operation, ''decision'', r.decision, ''outcome'', r.outcome, ''rooftop_ids'', r.rooftop_ids)',
   'REDACT', NULL),
  ('approvals', 'approvals', 'approval', 'r.approval_id', '{"created":"r.requested_at","closed":"r.ended_at"}',
   'r.requester = ANY (subject_names(:names, ''person'', ''key''))',
   'jsonb_build_object(''approval_id'', r.approval_id, ''kind'', r.kind, ''summary'', r.summary, ''requested_at'', r.requested_at, ''outcome'', r.outcome)',
   'KEEP', 'pseudonymous id; proof that two persons stood behind an action'),
  ('approval_decisions', 'approval_decisions', 'approval', 'r.approval_id || ''/'' || r.person_id || ''/'' || r.decision', '{"created":"r.decided_at"}',
   'r.person_id = ANY (subject_names(:names, ''person''))',
   'jsonb_build_object(''approval_id'', r.approval_id, ''decision'', r.decision, ''reason'', r.reason, ''decided_at'', r.decided_at)',
   'KEEP', 'pseudonymous id; proof that two persons stood behind an action'),
  ('policy_versions', 'policy_versions', 'policy_version', 'r.version::text', '{"created":"r.created_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key'')) OR r.approvers && subject_names(:names, ''person'')',
   'jsonb_build_object(''version'', r.version, ''reason'', CASE WHEN r.author = ANY (subject_names(:names, ''person'', ''key'')) THEN r.reason END, ''created_at'', r.created_at)',
   'KEEP', 'pseudonymous id; who answers for a version of a policy'),
  ('rooftop_settings_versions', 'rooftop_settings_versions', 'policy_version', 'r.rooftop_id || ''/'' || r.version', '{"created":"r.created_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key''))',
   'jsonb_build_object(''rooftop_id'', r.rooftop_id, ''version'', r.version, ''reason'', r.reason, ''created_at'', r.created_at)',
   'KEEP', 'pseudonymous id; who answers for a version of settings'),
  ('policy_drafts', 'policy_drafts', 'policy_version', 'r.draft_id', '{"created":"r.created_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key''))',
   'jsonb_build_object(''draft_id'', r.draft_id, ''reason'', r.reason, ''created_at'', r.created_at)',
   'KEEP', 'pseudonymous id; who answers for a draft of a policy'),
  ('legal_holds', 'legal_holds', 'legal_hold', 'r.hold_id', '{"created":"r.placed_at","closed":"r.free_from"}',
   'r.placed_by = ANY (subject_names(:names, ''person'', ''key'')) OR r.subjects && all_subject_names(:names)',
   'jsonb_build_object(''hold_id'', r.hold_id, ''placed_at'', r.placed_at, ''released_at'', r.released_at)',
   'KEEP', 'a legal hold names what it keeps, and stays with its record');

-- ------------------------------------------------------------------------------------------------ what else stood in the way
-- Rows that are only ever revoked, put in force or ended have one more lawful change: the name goes, by the function above.
CREATE FUNCTION is_erasure(p_old jsonb, p_new jsonb, p_named text[]) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT current_user = 'forecourt_retention' AND p_new - p_named - 'revoked_at' = p_old - p_named - 'revoked_at'
               AND (p_old ->> 'revoked_at' IS NULL OR p_old -> 'revoked_at' = p_new -> 'revoked_at') $$;

CREATE OR REPLACE FUNCTION only_revocation() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF TG_TABLE_NAME = 'grants' AND is_erasure(to_jsonb(OLD), to_jsonb(NEW), '{subject}') THEN
    RETURN NEW;
  END IF;
  IF to_jsonb(NEW) - 'revoked_at' <> to_jsonb(OLD) - 'revoked_at'
     OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at) THEN
    RAISE EXCEPTION 'a recorded % is never changed, only revoked', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION only_activation_and_revocation() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF is_erasure(to_jsonb(OLD), to_jsonb(NEW), '{grantee}') THEN
    RETURN NEW;
  END IF;
  IF to_jsonb(NEW) - 'revoked_at' - 'in_force_at' <> to_jsonb(OLD) - 'revoked_at' - 'in_force_at'
     OR (OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
     OR (OLD.in_force_at IS NOT NULL AND NEW.in_force_at IS DISTINCT FROM OLD.in_force_at) THEN
    RAISE EXCEPTION 'a recorded % is never changed, only put in force and revoked', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION only_ending() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF NEW.summary = 'erased' AND is_erasure(to_jsonb(OLD), to_jsonb(NEW), '{summary}') THEN
    RETURN NEW;
  END IF;
  IF to_jsonb(NEW) - 'outcome' - 'ended_at' <> to_jsonb(OLD) - 'outcome' - 'ended_at'
     OR (OLD.outcome IS NOT NULL AND (NEW.outcome, NEW.ended_at) IS DISTINCT FROM (OLD.outcome, OLD.ended_at)) THEN
    RAISE EXCEPTION 'an approval is never changed, it only ends' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;

-- ------------------------------------------------------------------------------------------------ the trail
-- Erases the values of a person's records by their ids, those aside that a hold covers, for an erasure that was approved; for the
-- rest as redact_audit_values (migration 17), which asks for one named record. The transaction has to record it before it
-- commits. Returns no row where there is nothing to erase.
CREATE FUNCTION redact_audit_records(p_redaction text, p_ground text, p_names jsonb, p_ids text[]) RETURNS TABLE (records integer, content_hash text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
#variable_conflict use_column
DECLARE
  touched integer;
  digest  text;
BEGIN
  PERFORM join_deletions(current_tenant());
  -- A statement of its own after the lock was taken, so that a hold that was placed meanwhile is seen.
  EXECUTE format(
    'WITH chosen AS (
       SELECT r.recorded_at, r.event_id, r.actor, r.client FROM audit_events r
       WHERE r.organization_id = current_tenant() AND r.event_id = ANY (%L::text[]) AND (%s) AND NOT EXISTS (SELECT FROM %s) FOR UPDATE
     ), erased AS (
       UPDATE audit_events e SET actor = NULL, client = NULL, nonce = NULL FROM chosen c WHERE e.recorded_at = c.recorded_at AND e.event_id = c.event_id
     )
     INSERT INTO audit_redacted_records (organization_id, recorded_at, event_id, redaction_id, fields)
     SELECT current_tenant(), c.recorded_at, c.event_id, %L,
            array_remove(ARRAY[CASE WHEN c.actor IS NOT NULL THEN ''actor'' END, CASE WHEN c.client IS NOT NULL THEN ''client'' END], NULL) FROM chosen c',
    p_ids, (SELECT with_names(p.found, p_names) FROM subject_places p WHERE p.place = 'audit_events'),
    covering_holds('audit_events', all_subject_names(p_names)), p_redaction);
  GET DIAGNOSTICS touched = ROW_COUNT;
  IF touched = 0 THEN
    RETURN;
  END IF;
  SELECT encode(sha256(convert_to(p_ground || E'\n' || string_agg(k.event_id || ' ' || array_to_string(k.fields, ','), E'\n'
           ORDER BY k.event_id COLLATE "C", k.recorded_at), 'UTF8')), 'hex') INTO digest
    FROM audit_redacted_records k WHERE k.organization_id = current_tenant() AND k.redaction_id = p_redaction;
  INSERT INTO audit_redactions (organization_id, redaction_id, scope, ground, records, content_hash)
    VALUES (current_tenant(), p_redaction, 'record', p_ground, touched, digest);
  RETURN QUERY SELECT touched, digest;
END
$$;

-- ------------------------------------------------------------------------------------------------ requests
-- Whose data it is about is sealed while the request needs it, and goes when nothing is left to do; the keyed hash stays.
CREATE TABLE privacy_requests (
  organization_id        text NOT NULL REFERENCES organizations,
  request_id             text NOT NULL CHECK (request_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  kind                   text NOT NULL CHECK (kind IN ('erasure', 'access')),
  subject_kind           text NOT NULL CHECK (subject_kind IN ('person', 'agent', 'client', 'key', 'recipient')),
  subject_sealed         bytea NOT NULL, -- empty once nothing is left to do
  subject_hash           text NOT NULL CHECK (subject_hash ~ '^[0-9a-f]{64}$'),
  asked_by               text NOT NULL CHECK (asked_by IN ('subject', 'authorized_agent', 'guardian')),
  asked_reference        text NOT NULL CHECK (length(asked_reference) BETWEEN 1 AND 200),
  received_by            text NOT NULL CHECK (length(received_by) BETWEEN 1 AND 200),
  received_at            timestamptz(3) NOT NULL,
  due_at                 timestamptz(3) NOT NULL,
  verification_reference text CHECK (length(verification_reference) BETWEEN 1 AND 200),
  verifier               text CHECK (length(verifier) BETWEEN 1 AND 200),
  verified_at            timestamptz(3),
  state                  text NOT NULL CHECK (state IN ('received', 'verified', 'previewed', 'running', 'pending', 'ready', 'closed', 'refused')),
  version                integer NOT NULL DEFAULT 1 CHECK (version >= 1),
  preview                jsonb, -- counts by place: what would go, what stays and why
  preview_hash           text CHECK (preview_hash ~ '^[0-9a-f]{64}$'),
  previewed_at           timestamptz(3),
  approval_id            text,
  approved_at            timestamptz(6), -- when the approval was spent: a hold that was released later does not let go
  attempt                integer NOT NULL DEFAULT 0,
  lease_until            timestamptz(6),
  progress               jsonb NOT NULL DEFAULT '{}', -- how far: moved on in the transaction of the work itself
  waits_for              text[] NOT NULL DEFAULT '{}', -- holds that kept something back
  again_at               timestamptz(3), -- when the first floor ends that kept something back
  deletion_record_id     text,
  manifest               text,
  bytes                  bigint NOT NULL DEFAULT 0,
  file_expires_at        timestamptz(3),
  refusal                text CHECK (refusal IN ('not_verified', 'not_covered', 'withdrawn', 'unfounded')),
  closed_at              timestamptz(3),
  PRIMARY KEY (organization_id, request_id),
  CHECK ((verified_at IS NULL) = (verifier IS NULL) AND (verified_at IS NULL) = (verification_reference IS NULL)),
  CHECK (verified_at IS NOT NULL OR state IN ('received', 'refused')),
  CHECK ((state = 'refused') = (refusal IS NOT NULL)),
  CHECK ((state IN ('closed', 'refused')) = (closed_at IS NOT NULL)),
  CHECK (state IN ('closed', 'refused') OR length(subject_sealed) > 0),
  CHECK (state <> 'running' OR kind = 'access' OR approved_at IS NOT NULL)
);
CREATE INDEX privacy_requests_open ON privacy_requests (state) WHERE state IN ('running', 'pending', 'ready');

-- The file of an access request in pieces, each kept by its content; gone when the file has expired.
CREATE TABLE privacy_request_parts (
  organization_id text NOT NULL,
  request_id      text NOT NULL,
  part            integer NOT NULL CHECK (part >= 0),
  storage_key     text NOT NULL,
  sha256          text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  bytes           bigint NOT NULL,
  created_at      timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, request_id, part),
  FOREIGN KEY (organization_id, request_id) REFERENCES privacy_requests
);
SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['privacy_requests', 'privacy_request_parts']) AS t;

-- Whom a request is about is not known without its key, so every hold that names persons covers it.
SELECT govern_table('privacy_request_parts', 'privacy_request', $$r.request_id || '/' || r.part$$, $$'{}'::text[]$$, 'NULL::text[]',
  jsonb_build_object('created', 'r.created_at',
    'closed', '(SELECT q.closed_at FROM privacy_requests q WHERE q.organization_id = r.organization_id AND q.request_id = r.request_id)'),
  p_disposable => 'false'); -- a file goes when it expires
SELECT govern_table('privacy_requests', 'privacy_request', 'r.request_id', $$'{}'::text[]$$, 'NULL::text[]',
  '{"created": "r.received_at", "closed": "r.closed_at"}',
  p_disposable => $$r.closed_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM privacy_request_parts c WHERE c.organization_id = r.organization_id AND c.request_id = r.request_id)$$,
  p_ordinal => 10);

-- Requests of all organizations that somebody has to go on with: runs that no live worker holds, what waits, and files.
CREATE POLICY owner_lookup ON privacy_requests FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION open_privacy_requests(p_limit integer) RETURNS TABLE (organization_id text, request_id text, attempt integer, state text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT q.organization_id, q.request_id, q.attempt, q.state FROM privacy_requests q JOIN organizations o ON o.organization_id = q.organization_id AND o.state = 'active'
        WHERE (q.state = 'running' AND coalesce(q.lease_until < now(), true)) OR (q.state = 'pending' AND coalesce(q.again_at <= now(), true))
           OR (q.state = 'ready' AND q.file_expires_at <= now())
        ORDER BY q.received_at LIMIT least(p_limit, 1000) $$;

-- Those of these holds that still bind.
CREATE FUNCTION binding_holds(p_holds text[]) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT h.hold_id FROM legal_holds h WHERE h.organization_id = current_tenant() AND h.hold_id = ANY (p_holds) AND hold_binds(h, NULL) $$;

-- The pieces of a file that has expired, unless a hold covers one (then the guard refuses). @returns their storage keys
CREATE FUNCTION remove_expired_privacy_file(p_request text) RETURNS SETOF text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  RETURN QUERY DELETE FROM privacy_request_parts c USING privacy_requests q
    WHERE c.organization_id = current_tenant() AND c.request_id = p_request AND q.organization_id = c.organization_id AND q.request_id = c.request_id
      AND q.file_expires_at <= now() RETURNING c.storage_key;
END
$$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT SELECT ON subject_places TO forecourt_app, forecourt_retention;
GRANT SELECT, INSERT, UPDATE ON privacy_requests TO forecourt_app;
GRANT SELECT, INSERT ON privacy_request_parts TO forecourt_app;

GRANT SELECT, UPDATE (name, issuer, subject, claims_at, role, disabled_at, version, updated_at) ON staff_persons TO forecourt_retention;
GRANT SELECT, UPDATE (name, networks) ON api_key_versions TO forecourt_retention;
GRANT SELECT, UPDATE (name, networks, revoked_at) ON api_keys TO forecourt_retention;
GRANT SELECT, UPDATE (name, client_id, revoked_at) ON agent_clients TO forecourt_retention;
GRANT SELECT, UPDATE (subject, revoked_at) ON grants TO forecourt_retention;
GRANT SELECT, UPDATE (grantee, revoked_at) ON group_delegations TO forecourt_retention;
GRANT SELECT, UPDATE (reply) ON idempotency_keys TO forecourt_retention;
GRANT SELECT, UPDATE (summary) ON approvals TO forecourt_retention;
GRANT SELECT, UPDATE (address, revoked_at) ON audit_targets TO forecourt_retention;
GRANT SELECT, DELETE ON staff_codes, audit_exports, audit_export_parts, privacy_request_parts TO forecourt_retention;
GRANT SELECT ON privacy_requests TO forecourt_retention;

DO $guards$
DECLARE
  p subject_places;
BEGIN
  FOR p IN SELECT * FROM subject_places WHERE erases NOT IN ('DELETE', 'REDACT', 'KEEP') LOOP
    EXECUTE format('CREATE TRIGGER guard_erasure AFTER UPDATE ON %I REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (current_user = ''forecourt_retention'') EXECUTE FUNCTION guard_erasure(%L)',
                   p.table_name, p.place);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER guard_erasure', p.table_name);
  END LOOP;
END
$guards$;

GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION erase_subject_records(text, jsonb, text[], text) OWNER TO forecourt_retention;
ALTER FUNCTION redact_audit_records(text, text, jsonb, text[]) OWNER TO forecourt_retention;
ALTER FUNCTION remove_expired_privacy_file(text) OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;

REVOKE EXECUTE ON FUNCTION subject_names(jsonb, text[]), all_subject_names(jsonb), says_name(text, text[]), subject_place(text), covering_holds(text, text[]),
  with_names(text, jsonb, text), subject_records(text, jsonb, text, integer), erase_subject_records(text, jsonb, text[], text), guard_erasure(),
  is_erasure(jsonb, jsonb, text[]), redact_audit_records(text, text, jsonb, text[]), open_privacy_requests(integer), binding_holds(text[]), remove_expired_privacy_file(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION subject_names(jsonb, text[]), all_subject_names(jsonb), says_name(text, text[]), subject_place(text), covering_holds(text, text[]),
  with_names(text, jsonb, text), is_erasure(jsonb, jsonb, text[]) TO forecourt_app, forecourt_retention;
GRANT EXECUTE ON FUNCTION subject_records(text, jsonb, text, integer), erase_subject_records(text, jsonb, text[], text), redact_audit_records(text, text, jsonb, text[]),
  open_privacy_requests(integer), binding_holds(text[]), remove_expired_privacy_file(text) TO forecourt_app;
