-- Sums of any size answer in time: each counts so many records and says where the next one goes on
-- (docs/adr/0052-sums-in-pages.md). Runs as forecourt_owner with search_path = forecourt.

-- What a search finds in one stretch of time, newest first: of the trail, and of the vault where the tenant has one; of a subject
-- as actor and as resource. Each part is looked for with its own limit, because a limit over several of them, or over several months,
-- is planned as if what is looked for were spread evenly: where there is none of it, all is read. No answer needs what is hashed.
DROP FUNCTION audit_search_statement(jsonb, timestamptz, text, integer);
CREATE FUNCTION audit_search_statement(p_filter jsonb, p_from timestamptz, p_to timestamptz, p_at timestamptz, p_event text, p_limit integer) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  subject text := p_filter ->> 'subject';
  newest  text := format(' ORDER BY recorded_at DESC, event_id DESC LIMIT %s', greatest(p_limit, 0));
  columns text := 'recorded_at, event_id, xid, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client, rooftop_ids,
    resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, NULL::bytea AS canon, NULL::bytea AS nonce, NULL::bytea AS leaf, before_hash, after_hash';
  those   text := audit_condition(p_filter - 'subject') || format(' AND recorded_at >= %L AND recorded_at < %L', p_from, p_to)
    || CASE WHEN p_at IS NULL THEN '' ELSE format(' AND recorded_at <= %L AND (recorded_at, event_id) < (%L, %L)', p_at, p_at, p_event) END;
  about   text[] := CASE WHEN subject IS NULL THEN '{true}' ELSE ARRAY[format('actor = %L', subject),
    format('resource_ids @> ARRAY[%L] AND actor IS DISTINCT FROM %L', subject, subject)] END;
  stores  text[] := CASE WHEN EXISTS (SELECT FROM hold_vault WHERE organization_id = current_tenant()) THEN '{audit_events,hold_vault}' ELSE '{audit_events}' END;
BEGIN
  RETURN (SELECT 'SELECT * FROM (' || string_agg('(SELECT ' || columns || ' FROM ' || store || ' WHERE ' || those || ' AND ' || part || newest || ')', ' UNION ALL ')
                 || ') AS found' || newest
          FROM unnest(stores) AS store, unnest(about) AS part);
END
$$;

-- Month by month from the newest one on, until p_limit are found; behind the oldest month there is only the vault. The arguments as
-- those of find_audit_events, whose bound is the business of those who call.
CREATE FUNCTION newest_audit_events(p_filter jsonb, p_at timestamptz, p_event text, p_limit integer) RETURNS SETOF audit_events
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  since  timestamptz := coalesce((p_filter ->> 'from')::timestamptz, '-infinity');
  latest timestamptz := least((p_filter ->> 'to')::timestamptz, p_at); -- the least of what is not null
  month  timestamptz;
  before timestamptz := 'infinity';
  wanted integer := p_limit;
  found  integer;
BEGIN
  FOR month IN SELECT m::timestamp AT TIME ZONE 'UTC' FROM audit_months_before('infinity') AS m UNION ALL SELECT '-infinity' ORDER BY 1 DESC LOOP
    EXIT WHEN wanted <= 0 OR before <= since;
    IF latest IS NULL OR month <= latest THEN
      RETURN QUERY EXECUTE audit_search_statement(p_filter, month, before, p_at, p_event, wanted);
      GET DIAGNOSTICS found = ROW_COUNT;
      wanted := wanted - found;
    END IF;
    before := month;
  END LOOP;
END
$$;
CREATE OR REPLACE FUNCTION find_audit_events(p_filter jsonb, p_at timestamptz, p_event text, p_limit integer) RETURNS SETOF audit_events
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT * FROM newest_audit_events(p_filter, p_at, p_event, least(p_limit, 1001)) $$;

-- The newest p_records that a search finds behind (p_at, p_event), added up: what was reached, how often, first and last. `next_at`
-- and `next_event` are the place of the last one counted, null where nothing is older. Callers, operations and rooftops are those of
-- all that was counted (up to a thousand each), resources the most frequent p_most.
DROP FUNCTION sum_up_audit(jsonb, integer);
CREATE FUNCTION sum_up_audit(p_filter jsonb, p_at timestamptz, p_event text, p_records integer, p_most integer) RETURNS jsonb
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp SET work_mem = '64MB' SET jit = off AS $$
DECLARE
  summed  jsonb;
  counted integer := greatest(least(p_records, 1000000), 1);
BEGIN
  EXECUTE format(
    'WITH found AS MATERIALIZED (SELECT recorded_at, event_id, actor_kind, actor, client, operation, outcome, rooftop_ids, resource_ids FROM newest_audit_events($1, $2, $3, %1$s + 1)),
          hit AS MATERIALIZED (SELECT * FROM found ORDER BY recorded_at DESC, event_id DESC LIMIT %1$s),
          oldest AS (SELECT recorded_at, event_id FROM hit WHERE (SELECT count(*) FROM found) > %1$s ORDER BY recorded_at, event_id LIMIT 1),
          what AS MATERIALIZED (SELECT actor_kind, actor, client, operation, outcome, count(*) AS records, min(recorded_at) AS first, max(recorded_at) AS last
                   FROM hit GROUP BY actor_kind, actor, client, operation, outcome),
          callers AS MATERIALIZED (SELECT actor_kind, actor, client, sum(records) AS records, min(first) AS first, max(last) AS last FROM what GROUP BY 1, 2, 3),
          -- Most records of a caller name the same rooftops: lists are counted first and taken apart afterwards.
          sets AS (SELECT rooftop_ids, count(*) AS records, min(recorded_at) AS first, max(recorded_at) AS last FROM hit GROUP BY rooftop_ids),
          roofs AS MATERIALIZED (SELECT id, sum(records) AS records, min(first) AS first, max(last) AS last FROM sets, unnest(rooftop_ids) AS id GROUP BY id),
          things AS MATERIALIZED (SELECT id, count(*) AS records, min(recorded_at) AS first, max(recorded_at) AS last FROM hit, unnest(resource_ids) AS id GROUP BY id)
     SELECT jsonb_build_object(
       ''records'', (SELECT coalesce(sum(records), 0) FROM what), ''first'', (SELECT min(first) FROM what), ''last'', (SELECT max(last) FROM what),
       ''next_at'', (SELECT recorded_at FROM oldest), ''next_event'', (SELECT event_id FROM oldest),
       ''callers_total'', (SELECT count(*) FROM callers),
       ''callers'', (SELECT jsonb_agg(c) FROM (SELECT * FROM callers ORDER BY records DESC, actor_kind, actor, client LIMIT 1000) AS c),
       ''operations'', (SELECT jsonb_agg(o) FROM (SELECT operation, outcome, sum(records) AS records, min(first) AS first, max(last) AS last FROM what
                       GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 1000) AS o),
       ''rooftops_total'', (SELECT count(*) FROM roofs),
       ''rooftops'', (SELECT jsonb_agg(r) FROM (SELECT * FROM roofs ORDER BY records DESC, id LIMIT 1000) AS r),
       ''resources_total'', (SELECT count(*) FROM things),
       ''resources'', (SELECT jsonb_agg(t) FROM (SELECT * FROM things ORDER BY records DESC, id LIMIT %2$s) AS t))',
    counted, greatest(least(p_most, 1000), 1)) INTO summed USING p_filter, p_at, p_event;
  RETURN summed;
END
$$;

GRANT CREATE ON SCHEMA forecourt TO forecourt_sequencer;
ALTER FUNCTION sum_up_audit(jsonb, timestamptz, text, integer, integer) OWNER TO forecourt_sequencer;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_sequencer;
REVOKE EXECUTE ON FUNCTION audit_search_statement(jsonb, timestamptz, timestamptz, timestamptz, text, integer),
  newest_audit_events(jsonb, timestamptz, text, integer), sum_up_audit(jsonb, timestamptz, text, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_search_statement(jsonb, timestamptz, timestamptz, timestamptz, text, integer),
  newest_audit_events(jsonb, timestamptz, text, integer), audit_months_before(timestamptz) TO forecourt_sequencer;
GRANT EXECUTE ON FUNCTION sum_up_audit(jsonb, timestamptz, text, integer, integer) TO forecourt_app;
