-- Which rows are records of which retention category, and the guard on every table that has some (docs/adr/0045-what-is-stored.md).
-- Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ what the clocks and rooftops need
-- When a snapshot stopped being what is served, or was given up; and the runs whose units it carried over.
ALTER TABLE snapshots
  ADD COLUMN superseded_at  timestamptz(6),
  ADD COLUMN source_run_ids text[] NOT NULL DEFAULT '{}';
-- Which rooftops a file may speak of, as its feed was bound when it came in and when it was read. Empty: not known. They outlive
-- the snapshots: a file is the last to go.
ALTER TABLE feed_runs ADD COLUMN rooftop_ids text[] NOT NULL DEFAULT '{}';
ALTER TABLE feed_files
  ADD COLUMN rooftop_ids  text[] NOT NULL DEFAULT '{}',
  ADD COLUMN last_used_at timestamptz(6); -- null: no run yet
ALTER TABLE audit_streams ADD COLUMN revoked_at timestamptz(6);

CREATE FUNCTION bound_rooftops(binding jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE
  AS $$ SELECT CASE binding ->> 'kind' WHEN 'single' THEN ARRAY[binding ->> 'rooftopId']
               ELSE ARRAY(SELECT DISTINCT value FROM jsonb_each_text(binding -> 'keys') ORDER BY 1) END $$;

-- Both lists together; unknown where one of them is.
CREATE FUNCTION joined_rooftops(a text[], b text[]) RETURNS text[] LANGUAGE sql IMMUTABLE
  AS $$ SELECT CASE WHEN a <> '{}' AND b <> '{}' THEN ARRAY(SELECT DISTINCT unnest(a || b) ORDER BY 1) ELSE '{}' END $$;

DO $$
DECLARE
  tenant text;
BEGIN
  FOR tenant IN SELECT organization_id FROM organizations LOOP
    PERFORM set_config('app.tenant', tenant, true);
    UPDATE snapshots SET superseded_at = now() WHERE state IN ('superseded', 'discarded');
    UPDATE snapshots s SET source_run_ids = carried.runs
      FROM (SELECT u.snapshot_id, array_agg(DISTINCT u.run_id) AS runs FROM units u JOIN snapshots o ON o.snapshot_id = u.snapshot_id
            WHERE u.run_id <> o.run_id GROUP BY u.snapshot_id) AS carried
      WHERE carried.snapshot_id = s.snapshot_id;
    -- How a feed was bound then is not known any more, and a file may have been read under any of the bindings.
    UPDATE feed_files f SET last_used_at = (SELECT max(coalesce(r.finished_at, r.received_at)) FROM feed_runs r WHERE r.sha256 = f.sha256);
    UPDATE audit_streams SET revoked_at = now() WHERE state = 'revoked';
  END LOOP;
  PERFORM set_config('app.tenant', '', true);
END
$$;

CREATE FUNCTION note_snapshot_end() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF NEW.state IN ('superseded', 'discarded') AND OLD.state <> NEW.state THEN NEW.superseded_at := clock_timestamp(); END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER note_snapshot_end BEFORE UPDATE OF state ON snapshots FOR EACH ROW EXECUTE FUNCTION note_snapshot_end();

CREATE FUNCTION note_stream_end() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF NEW.state = 'revoked' AND OLD.state <> 'revoked' THEN NEW.revoked_at := clock_timestamp(); END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER note_stream_end BEFORE UPDATE OF state ON audit_streams FOR EACH ROW EXECUTE FUNCTION note_stream_end();

CREATE FUNCTION note_bound_rooftops() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  NEW.rooftop_ids := coalesce((SELECT bound_rooftops(f.rooftops) FROM feeds f WHERE f.organization_id = NEW.organization_id AND f.feed_id = NEW.feed_id), '{}');
  RETURN NEW;
END
$$;
CREATE TRIGGER note_bound_rooftops BEFORE INSERT ON feed_runs FOR EACH ROW EXECUTE FUNCTION note_bound_rooftops();

-- With the owner's rights, inside the tenant of the transaction: the application itself changes no file.
CREATE FUNCTION note_use_of_file() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  UPDATE feed_files f SET
    rooftop_ids = CASE WHEN f.last_used_at IS NULL THEN NEW.rooftop_ids ELSE joined_rooftops(f.rooftop_ids, NEW.rooftop_ids) END,
    last_used_at = greatest(f.last_used_at, NEW.received_at, NEW.finished_at)
  WHERE f.organization_id = NEW.organization_id AND f.sha256 = NEW.sha256;
  RETURN NULL;
END
$$;
CREATE TRIGGER note_use_of_file AFTER INSERT OR UPDATE OF finished_at, rooftop_ids ON feed_runs FOR EACH ROW EXECUTE FUNCTION note_use_of_file();

-- A feed may be bound anew between the arrival of a file and its reading.
CREATE FUNCTION note_planned_rooftops() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  UPDATE feed_runs r SET rooftop_ids = joined_rooftops(r.rooftop_ids, p.rooftops)
    FROM (SELECT organization_id, run_id, array_agg(DISTINCT rooftop_id) AS rooftops FROM planned GROUP BY 1, 2) AS p
    WHERE r.organization_id = p.organization_id AND r.run_id = p.run_id AND NOT r.rooftop_ids @> p.rooftops;
  RETURN NULL;
END
$$;
CREATE TRIGGER note_planned_rooftops AFTER INSERT ON snapshots REFERENCING NEW TABLE AS planned FOR EACH STATEMENT EXECUTE FUNCTION note_planned_rooftops();

CREATE INDEX snapshots_unfinished ON snapshots (organization_id, snapshot_id) WHERE state IN ('building', 'held');
CREATE INDEX snapshots_carrying ON snapshots (organization_id) WHERE source_run_ids <> '{}';
CREATE INDEX feed_runs_by_file ON feed_runs (organization_id, sha256);

-- ------------------------------------------------------------------------------------------------ the guard
-- As before, and faster: it looks at the rows only where a hold binds, one tenant after the other and inside it, so that
-- nothing is read across organizations but their holds. What a row is (`record_id` and so on) is worked out once for all holds.
CREATE OR REPLACE FUNCTION guard_holds() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  g            governed_tables;
  tenants      text[];
  tenant       text;
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  approved     timestamptz := nullif(current_setting('app.retention_approved_at', true), '')::timestamptz;
  concerned    boolean := true;
  refused      record;
BEGIN
  SELECT array_agg(DISTINCT r.organization_id ORDER BY r.organization_id) INTO tenants FROM gone r;
  IF tenants IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT * INTO STRICT g FROM governed_tables WHERE table_name = TG_TABLE_NAME;
  FOREACH tenant IN ARRAY tenants LOOP
    PERFORM set_config('app.tenant', tenant, true);
    -- Working data of something unfinished waits for no hold, and no hold waits for it.
    IF g.applies <> 'true' THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM gone r WHERE r.organization_id = $1 AND (%s))', g.applies) INTO concerned USING tenant;
    END IF;
    CONTINUE WHEN NOT concerned;
    -- Under any other level the look below could use a snapshot from before the lock.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'records are removed in READ COMMITTED transactions only' USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME;
    END IF;
    PERFORM join_deletions(tenant);
    CONTINUE WHEN NOT EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = tenant AND hold_binds(h, approved)
                                AND (h.covered IS NULL OR h.categories IS NULL OR g.category = ANY (h.categories)));
    EXECUTE format('SELECT h.hold_id, h.covered IS NULL AS counting
                    FROM (SELECT %s AS id, %s AS rooftops, %s AS subjects, %s AS created FROM gone r WHERE r.organization_id = $2 AND (%s) OFFSET 0) AS r
                    JOIN legal_holds h ON h.organization_id = $2 AND hold_binds(h, $1)
                     AND (h.covered IS NULL OR hold_covers(h, %L, r.id, r.rooftops, r.subjects, r.created)) LIMIT 1',
                   g.record_id, g.rooftops, g.subjects, g.clocks ->> 'created', g.applies, g.category) INTO refused USING approved, tenant;
    IF refused.hold_id IS NOT NULL THEN
      RAISE EXCEPTION 'hold % %', refused.hold_id, CASE WHEN refused.counting THEN 'is being counted' ELSE 'covers a record of ' || TG_TABLE_NAME END
        USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = 'legal_hold', DETAIL = refused.hold_id;
    END IF;
  END LOOP;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN NULL;
END
$$;

-- The condition (over alias r) that a hold binds a row of a governed table, for statements that leave held rows alone. Such a
-- statement still comes after join_deletions, in a transaction of READ COMMITTED; the guard decides in the end.
CREATE FUNCTION held_condition(p_table name) RETURNS text LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT format('EXISTS (SELECT FROM legal_holds h WHERE h.organization_id = r.organization_id
                         AND hold_binds(h, nullif(current_setting(''app.retention_approved_at'', true), '''')::timestamptz)
                         AND (h.covered IS NULL OR hold_covers(h, %L, %s, %s, %s, %s)))',
                      category, record_id, rooftops, subjects, clocks ->> 'created')
        FROM governed_tables WHERE table_name = p_table $$;

-- ------------------------------------------------------------------------------------------------ feeds and inventory
-- A vehicle is somebody's matter by its VIN, so VINs are subjects like persons.
SELECT govern_table('feed_run_rows', 'quarantined_row',
  $$r.run_id || '/' || r.attempt || '/' || r.ordinal$$,
  $$CASE WHEN r.rooftop_id IS NOT NULL THEN ARRAY[r.rooftop_id] END$$,
  $$CASE WHEN r.vin IS NOT NULL THEN ARRAY[r.vin] END$$,
  jsonb_build_object(
    'created', '(SELECT f.received_at FROM feed_runs f WHERE f.organization_id = r.organization_id AND f.run_id = r.run_id)',
    'closed', '(SELECT f.finished_at FROM feed_runs f WHERE f.organization_id = r.organization_id AND f.run_id = r.run_id)'),
  p_applies => $$(r.organization_id, r.run_id) NOT IN (SELECT f.organization_id, f.run_id FROM feed_runs f WHERE f.state IN ('queued', 'running'))$$,
  p_disposable => $$NOT EXISTS (SELECT FROM feed_runs f WHERE f.organization_id = r.organization_id AND f.run_id = r.run_id AND f.state IN ('queued', 'running', 'held'))$$);

SELECT govern_table('units', 'superseded_snapshot',
  $$r.snapshot_id || '/' || r.vehicle_id$$, 'ARRAY[r.rooftop_id]', 'ARRAY[r.vin]',
  jsonb_build_object(
    'created', '(SELECT s.built_at FROM snapshots s WHERE s.organization_id = r.organization_id AND s.snapshot_id = r.snapshot_id)',
    'closed', '(SELECT s.superseded_at FROM snapshots s WHERE s.organization_id = r.organization_id AND s.snapshot_id = r.snapshot_id)'),
  p_applies => $$(r.organization_id, r.snapshot_id) NOT IN (SELECT s.organization_id, s.snapshot_id FROM snapshots s WHERE s.state IN ('building', 'held'))$$,
  p_disposable => $$EXISTS (SELECT FROM snapshots s WHERE s.organization_id = r.organization_id AND s.snapshot_id = r.snapshot_id AND s.state IN ('superseded', 'discarded'))
    AND NOT EXISTS (SELECT FROM rooftop_inventory i WHERE i.organization_id = r.organization_id AND i.rooftop_id = r.rooftop_id AND i.snapshot_id = r.snapshot_id)$$);

-- Whose vehicles it had is said by its units, which are there as long as one of them is held.
SELECT govern_table('snapshots', 'superseded_snapshot',
  'r.snapshot_id', 'ARRAY[r.rooftop_id]', $$CASE WHEN r.unit_count = 0 THEN '{}'::text[] END$$,
  '{"created": "r.built_at", "closed": "r.superseded_at"}',
  p_applies => $$r.state NOT IN ('building', 'held')$$,
  p_disposable => $$r.state IN ('superseded', 'discarded')
    AND NOT EXISTS (SELECT FROM rooftop_inventory i WHERE i.organization_id = r.organization_id AND i.rooftop_id = r.rooftop_id AND i.snapshot_id = r.snapshot_id)
    AND NOT EXISTS (SELECT FROM units u WHERE u.organization_id = r.organization_id AND u.snapshot_id = r.snapshot_id)$$,
  p_ordinal => 10);

-- A run is in use as long as something that it published is there, also where a later snapshot carried it over.
SELECT govern_table('feed_runs', 'feed_file',
  'r.run_id', $$nullif(r.rooftop_ids, '{}')$$, 'NULL::text[]',
  '{"created": "r.received_at", "last_used": "coalesce(r.finished_at, r.started_at, r.received_at)"}',
  p_applies => $$r.state NOT IN ('queued', 'running', 'held')$$,
  p_disposable => $$r.state NOT IN ('queued', 'running', 'held')
    AND NOT EXISTS (SELECT FROM snapshots s WHERE s.organization_id = r.organization_id AND s.run_id = r.run_id)
    AND NOT EXISTS (SELECT FROM snapshots s WHERE s.organization_id = r.organization_id AND s.source_run_ids <> '{}' AND r.run_id = ANY (s.source_run_ids))
    AND NOT EXISTS (SELECT FROM feed_run_rows w WHERE w.organization_id = r.organization_id AND w.run_id = r.run_id)$$,
  p_ordinal => 20);

SELECT govern_table('feed_files', 'feed_file',
  'r.sha256', $$nullif(r.rooftop_ids, '{}')$$, 'NULL::text[]',
  '{"created": "r.first_received_at", "last_used": "coalesce(r.last_used_at, r.first_received_at)"}',
  p_disposable => 'NOT EXISTS (SELECT FROM feed_runs f WHERE f.organization_id = r.organization_id AND f.sha256 = r.sha256)',
  p_ordinal => 30);

SELECT govern_table('unit_events', 'unit_event', 'r.event_id', 'ARRAY[r.rooftop_id]', 'ARRAY[r.vin]', '{"created": "r.received_at"}');

-- What events say about a vehicle has lapsed when the rooftop serves it no longer.
SELECT govern_table('unit_overlays', 'unit_event',
  $$r.rooftop_id || '/' || r.vin$$, 'ARRAY[r.rooftop_id]', 'ARRAY[r.vin]', '{"created": "greatest(r.status_time, r.price_time)"}',
  p_disposable => $$NOT EXISTS (SELECT FROM rooftop_inventory i JOIN units u ON u.organization_id = i.organization_id AND u.snapshot_id = i.snapshot_id
    WHERE i.organization_id = r.organization_id AND i.rooftop_id = r.rooftop_id AND u.vin = r.vin)$$);

-- ------------------------------------------------------------------------------------------------ replies, sign-ins, access
-- Whom a stored reply is about nobody can say in general.
SELECT govern_table('idempotency_keys', 'idempotency_record', 'r.request_id', 'NULL::text[]', 'NULL::text[]', '{"created": "r.created_at"}');

SELECT govern_table('staff_codes', 'session', 'r.code_id', $$'{}'::text[]$$, 'ARRAY[r.person_id]',
  '{"created": "r.created_at", "last_used": "coalesce(r.spent_at, r.created_at)", "closed": "least(r.spent_at, r.expires_at)"}',
  p_disposable => 'r.spent_at IS NOT NULL OR r.expires_at < now()');

-- A key that ended lately is still told from one that never was (api_keys_of_tenant). Whose it is stands in its name alone.
SELECT govern_table('api_key_versions', 'access_history', $$r.key_id || '@' || r.version$$, 'NULL::text[]', 'NULL::text[]',
  jsonb_build_object('created', 'r.created_at',
    'last_used', '(SELECT greatest(r.created_at, k.last_used_at) FROM api_keys k WHERE k.organization_id = r.organization_id AND k.key_id = r.key_id)',
    'closed', '(SELECT least(k.expires_at, k.revoked_at, k.retires_at) FROM api_keys k WHERE k.organization_id = r.organization_id AND k.key_id = r.key_id)'),
  p_disposable => $$EXISTS (SELECT FROM api_keys k WHERE k.organization_id = r.organization_id AND k.key_id = r.key_id
    AND least(k.expires_at, k.revoked_at, k.retires_at) < now() - interval '1 day')$$);
SELECT govern_table('api_keys', 'access_history', 'r.key_id', 'NULL::text[]', 'NULL::text[]',
  '{"created": "r.created_at", "last_used": "greatest(r.created_at, r.last_used_at)", "closed": "least(r.expires_at, r.revoked_at, r.retires_at)"}',
  p_disposable => $$least(r.expires_at, r.revoked_at, r.retires_at) < now() - interval '1 day'
    AND NOT EXISTS (SELECT FROM api_key_versions v WHERE v.organization_id = r.organization_id AND v.key_id = r.key_id)$$,
  p_ordinal => 10);
SELECT govern_table('agent_clients', 'access_history', 'r.agent_client_id', 'NULL::text[]', 'ARRAY[r.agent_client_id, r.client_id]',
  '{"created": "r.created_at", "last_used": "coalesce(r.revoked_at, now())", "closed": "r.revoked_at"}', p_disposable => 'r.revoked_at IS NOT NULL');
SELECT govern_table('trusted_issuers', 'access_history', 'r.trusted_issuer_id', $$'{}'::text[]$$, $$'{}'::text[]$$,
  '{"created": "r.created_at", "last_used": "coalesce(r.revoked_at, now())", "closed": "r.revoked_at"}', p_disposable => 'r.revoked_at IS NOT NULL');
-- The newest version of a grant counts, so none goes before all of them are over: an older one would come back to life.
SELECT govern_table('grants', 'access_history', $$r.grant_id || '@' || r.version$$,
  $$CASE WHEN r.delegation_id IS NULL THEN r.rooftop_ids END$$, 'ARRAY[r.subject, r.issuer]',
  '{"created": "r.created_at", "last_used": "least(r.expires_at, coalesce(r.revoked_at, now()))", "closed": "least(r.expires_at, r.revoked_at)"}',
  p_disposable => $$NOT EXISTS (SELECT FROM grants g WHERE g.organization_id = r.organization_id AND g.grant_id = r.grant_id AND least(g.expires_at, g.revoked_at) >= now())$$,
  p_ordinal => 10);
SELECT govern_table('group_delegations', 'access_history', 'r.delegation_id',
  $$CASE r.covers WHEN 'listed' THEN r.rooftop_ids END$$, 'ARRAY[r.issuer, r.grantee]',
  '{"created": "r.created_at", "last_used": "least(r.expires_at, coalesce(r.revoked_at, now()))", "closed": "least(r.expires_at, r.revoked_at)"}',
  p_disposable => $$least(r.expires_at, r.revoked_at) < now()
    AND NOT EXISTS (SELECT FROM grants g WHERE g.organization_id = r.organization_id AND g.delegation_id = r.delegation_id)$$,
  p_ordinal => 20);
-- Someone from an identity provider stays, disabled: the next sign-in would otherwise make them a new person.
SELECT govern_table('staff_persons', 'access_history', 'r.person_id', $$'{}'::text[]$$, 'array_remove(ARRAY[r.person_id, r.subject], NULL)',
  '{"created": "r.created_at", "last_used": "r.updated_at", "closed": "r.disabled_at"}',
  p_disposable => $$r.disabled_at IS NOT NULL AND r.issuer IS NULL
    AND NOT EXISTS (SELECT FROM staff_codes c WHERE c.organization_id = r.organization_id AND c.person_id = r.person_id)$$,
  p_ordinal => 20);

-- ------------------------------------------------------------------------------------------------ approvals and policies
SELECT govern_table('approval_decisions', 'approval', $$r.approval_id || '/' || r.person_id || '/' || r.decision$$, 'NULL::text[]', 'ARRAY[r.person_id, r.requester]',
  jsonb_build_object('created', 'r.decided_at',
    'closed', '(SELECT a.ended_at FROM approvals a WHERE a.organization_id = r.organization_id AND a.approval_id = r.approval_id)'),
  p_disposable => 'EXISTS (SELECT FROM approvals a WHERE a.organization_id = r.organization_id AND a.approval_id = r.approval_id AND a.outcome IS NOT NULL)');
SELECT govern_table('approvals', 'approval', 'r.approval_id', 'NULL::text[]', 'ARRAY[r.requester]',
  '{"created": "r.requested_at", "closed": "r.ended_at"}',
  p_disposable => $$r.outcome IS NOT NULL
    AND NOT EXISTS (SELECT FROM approval_decisions d WHERE d.organization_id = r.organization_id AND d.approval_id = r.approval_id)$$,
  p_ordinal => 10);

-- The version in force is never over.
SELECT govern_table('policy_versions', 'policy_version', $$'policy@' || r.version$$, 'NULL::text[]', 'r.approvers || r.author',
  jsonb_build_object('created', 'r.created_at',
    'closed', '(SELECT min(v.created_at) FROM policy_versions v WHERE v.organization_id = r.organization_id AND v.version > r.version)'),
  p_disposable => 'EXISTS (SELECT FROM policy_versions v WHERE v.organization_id = r.organization_id AND v.version > r.version)');
SELECT govern_table('policy_drafts', 'policy_version', 'r.draft_id', 'NULL::text[]', 'ARRAY[r.author]',
  '{"created": "r.created_at", "closed": "CASE WHEN r.published_as IS NOT NULL THEN r.updated_at END"}', p_disposable => 'r.published_as IS NOT NULL');
SELECT govern_table('rooftop_settings_versions', 'policy_version', $$r.rooftop_id || '@' || r.version$$, 'ARRAY[r.rooftop_id]', 'ARRAY[r.author]',
  jsonb_build_object('created', 'r.created_at',
    'closed', '(SELECT min(v.created_at) FROM rooftop_settings_versions v WHERE v.organization_id = r.organization_id AND v.rooftop_id = r.rooftop_id AND v.version > r.version)'),
  p_disposable => 'EXISTS (SELECT FROM rooftops t WHERE t.organization_id = r.organization_id AND t.rooftop_id = r.rooftop_id AND t.settings_version > r.version)');

-- ------------------------------------------------------------------------------------------------ the audit trail
-- Records are about whom they name: the caller, the program, and the resources. Redaction takes the first two away, so that
-- nobody knows any more. They go with the pruning of the log alone (audit_events_are_final).
SELECT govern_table('audit_events', 'audit_event', 'r.event_id', 'r.rooftop_ids',
  'CASE WHEN r.nonce IS NOT NULL THEN array_remove(ARRAY[r.actor, r.client], NULL) || r.resource_ids END',
  '{"created": "r.recorded_at"}', p_updates => true);

-- Whatever the filter found is in an export.
SELECT govern_table('audit_export_parts', 'audit_export', $$r.export_id || '/' || r.part$$, 'NULL::text[]', 'NULL::text[]',
  jsonb_build_object(
    'created', '(SELECT x.requested_at FROM audit_exports x WHERE x.organization_id = r.organization_id AND x.export_id = r.export_id)',
    'closed', '(SELECT x.finished_at FROM audit_exports x WHERE x.organization_id = r.organization_id AND x.export_id = r.export_id)'),
  p_disposable => $$EXISTS (SELECT FROM audit_exports x WHERE x.organization_id = r.organization_id AND x.export_id = r.export_id AND x.state IN ('ready', 'failed'))$$);
SELECT govern_table('audit_exports', 'audit_export', 'r.export_id', 'NULL::text[]', 'NULL::text[]',
  '{"created": "r.requested_at", "closed": "r.finished_at"}',
  p_disposable => $$r.state IN ('ready', 'failed')
    AND NOT EXISTS (SELECT FROM audit_export_parts p WHERE p.organization_id = r.organization_id AND p.export_id = r.export_id)$$,
  p_ordinal => 10);
SELECT govern_table('audit_stream_replays', 'audit_export', 'r.replay_id', $$'{}'::text[]$$, $$'{}'::text[]$$,
  jsonb_build_object('created', 'r.created_at',
    'closed', 'CASE WHEN r.next_seq = r.to_seq THEN r.created_at ELSE (SELECT s.revoked_at FROM audit_streams s WHERE s.organization_id = r.organization_id AND s.stream_id = r.stream_id) END'),
  p_disposable => $$r.next_seq = r.to_seq
    OR EXISTS (SELECT FROM audit_streams s WHERE s.organization_id = r.organization_id AND s.stream_id = r.stream_id AND s.state = 'revoked')$$);
SELECT govern_table('audit_streams', 'audit_export', 'r.stream_id', $$'{}'::text[]$$, $$'{}'::text[]$$,
  '{"created": "r.created_at", "closed": "r.revoked_at"}',
  p_disposable => $$r.state = 'revoked'
    AND NOT EXISTS (SELECT FROM audit_stream_replays p WHERE p.organization_id = r.organization_id AND p.stream_id = r.stream_id)$$,
  p_ordinal => 10);
SELECT govern_table('audit_statements', 'audit_export', $$r.target_id || '/' || to_char(r.day, 'YYYY-MM-DD')$$, $$'{}'::text[]$$, $$'{}'::text[]$$,
  '{"created": "r.created_at", "closed": "r.delivered_at"}', p_disposable => 'r.delivered_at IS NOT NULL');
-- Cosignatures are part of the log and never go; the witness they name stays with them.
SELECT govern_table('audit_targets', 'audit_export', 'r.target_id', $$'{}'::text[]$$, $$'{}'::text[]$$,
  '{"created": "r.created_at", "closed": "r.revoked_at"}',
  p_disposable => $$r.revoked_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM audit_statements s WHERE s.organization_id = r.organization_id AND s.target_id = r.target_id)
    AND NOT EXISTS (SELECT FROM audit_cosignatures c WHERE c.organization_id = r.organization_id AND c.target_id = r.target_id)$$,
  p_ordinal => 10);

-- ------------------------------------------------------------------------------------------------ sweeps
-- As before, and leaving held replies alone. While a hold is being placed or counted, the sweep passes over its organization.
CREATE OR REPLACE FUNCTION sweep_idempotency_keys(p_kept interval, p_limit integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  held   text := held_condition('idempotency_keys');
  tenant text;
  gone   integer;
  swept  integer := 0;
BEGIN
  FOR tenant IN SELECT DISTINCT k.organization_id FROM idempotency_keys k WHERE k.created_at < now() - p_kept ORDER BY 1 LOOP
    EXIT WHEN swept >= least(p_limit, 10000);
    CONTINUE WHEN NOT pg_try_advisory_xact_lock_shared(hold_lock_key(tenant));
    EXECUTE format('DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
                      SELECT r.ctid FROM idempotency_keys r WHERE r.organization_id = $1 AND r.created_at < now() - $2 AND NOT %s
                      ORDER BY r.created_at LIMIT $3))', held) USING tenant, p_kept, least(p_limit, 10000) - swept;
    GET DIAGNOSTICS gone = ROW_COUNT;
    swept := swept + gone;
  END LOOP;
  RETURN swept;
END
$$;

-- ------------------------------------------------------------------------------------------------ rights
-- The guard and the runs of retention read what the expressions above read, each inside the tenant of its transaction.
GRANT SELECT ON feed_files, feed_runs, feed_run_rows, snapshots, rooftop_inventory, units, unit_events, unit_overlays, rooftops, rooftop_settings_versions,
  staff_codes, staff_persons, api_keys, api_key_versions, agent_clients, trusted_issuers, grants, group_delegations, approvals, approval_decisions,
  policy_versions, policy_drafts, audit_exports, audit_export_parts, audit_streams, audit_stream_replays, audit_statements, audit_targets,
  audit_cosignatures TO forecourt_retention;
REVOKE EXECUTE ON FUNCTION bound_rooftops(jsonb), joined_rooftops(text[], text[]), note_snapshot_end(), note_stream_end(), note_bound_rooftops(),
  note_use_of_file(), note_planned_rooftops(), held_condition(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION bound_rooftops(jsonb), joined_rooftops(text[], text[]) TO forecourt_app;
GRANT EXECUTE ON FUNCTION held_condition(name) TO forecourt_app, forecourt_retention;
