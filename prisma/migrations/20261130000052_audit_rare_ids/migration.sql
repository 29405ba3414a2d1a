-- Searches by rooftop, resource or subject do not guess how rare it is (docs/adr/0052-sums-in-pages.md). Runs as forecourt_owner with
-- search_path = forecourt.

-- Of ids in lists the planner knows the most frequent ones and takes half a percent for every other: it then walks back through time
-- for a page of a rooftop of which there are two records, and reads the month. So it is looked first. `p_sorted`: `by time` as the
-- index has it; `afterwards`, for what is so rare that all of it is read; null for any of it.
DROP FUNCTION audit_search_statement(jsonb, timestamptz, timestamptz, timestamptz, text, integer);
CREATE FUNCTION audit_search_statement(p_filter jsonb, p_from timestamptz, p_to timestamptz, p_at timestamptz, p_event text, p_limit integer, p_sorted text) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  subject text := p_filter ->> 'subject';
  newest  text := CASE p_sorted WHEN 'by time' THEN ' ORDER BY recorded_at DESC, event_id DESC'
                                WHEN 'afterwards' THEN ' ORDER BY recorded_at + interval ''0'' DESC, event_id DESC' ELSE '' END
    || format(' LIMIT %s', greatest(p_limit, 0));
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

-- Whether the newest 5,000 records of a stretch, of whatever kind, have so many of those that are looked for, or are all that there are.
CREATE FUNCTION audit_ends_soon(p_filter jsonb, p_from timestamptz, p_to timestamptz, p_at timestamptz, p_event text, p_wanted integer) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  period jsonb := jsonb_strip_nulls(jsonb_build_object('from', p_filter -> 'from', 'to', p_filter -> 'to'));
  soon   boolean;
BEGIN
  EXECUTE format('SELECT count(*) FILTER (WHERE %s) >= %s OR count(*) < 5000 FROM (%s) AS newest', audit_condition(p_filter), p_wanted,
    audit_search_statement(period, p_from, p_to, p_at, p_event, 5000, 'by time')) INTO soon;
  RETURN soon;
END
$$;

-- Whether a stretch has so few of them, up to 10,000, that all can be read and sorted.
CREATE FUNCTION audit_is_rare(p_filter jsonb, p_from timestamptz, p_to timestamptz, p_at timestamptz, p_event text) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  rare boolean;
BEGIN
  EXECUTE format('SELECT count(*) <= 10000 FROM (%s) AS few', audit_search_statement(p_filter, p_from, p_to, p_at, p_event, 10001, NULL)) INTO rare;
  RETURN rare;
END
$$;

-- As before; a page by ids is looked for in the way that its frequency asks for, month by month. A sum reads them all anyway.
CREATE OR REPLACE FUNCTION newest_audit_events(p_filter jsonb, p_at timestamptz, p_event text, p_limit integer) RETURNS SETOF audit_events
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  since  timestamptz := coalesce((p_filter ->> 'from')::timestamptz, '-infinity');
  latest timestamptz := least((p_filter ->> 'to')::timestamptz, p_at); -- the least of what is not null
  by_ids boolean := p_limit <= 1001 AND p_filter ?| ARRAY['rooftopId', 'resourceId', 'subject'];
  rare   boolean := false; -- what was rare in one month is asked as if it were in the one before
  month  timestamptz;
  before timestamptz := 'infinity';
  wanted integer := p_limit;
  found  integer;
BEGIN
  FOR month IN SELECT m::timestamp AT TIME ZONE 'UTC' FROM audit_months_before('infinity') AS m UNION ALL SELECT '-infinity' ORDER BY 1 DESC LOOP
    EXIT WHEN wanted <= 0 OR before <= since;
    IF latest IS NULL OR month <= latest THEN
      IF by_ids THEN
        rare := (rare OR NOT audit_ends_soon(p_filter, month, before, p_at, p_event, wanted)) AND audit_is_rare(p_filter, month, before, p_at, p_event);
      END IF;
      RETURN QUERY EXECUTE audit_search_statement(p_filter, month, before, p_at, p_event, wanted, CASE WHEN rare THEN 'afterwards' ELSE 'by time' END);
      GET DIAGNOSTICS found = ROW_COUNT;
      wanted := wanted - found;
    END IF;
    before := month;
  END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION audit_search_statement(jsonb, timestamptz, timestamptz, timestamptz, text, integer, text),
  audit_ends_soon(jsonb, timestamptz, timestamptz, timestamptz, text, integer), audit_is_rare(jsonb, timestamptz, timestamptz, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_search_statement(jsonb, timestamptz, timestamptz, timestamptz, text, integer, text),
  audit_ends_soon(jsonb, timestamptz, timestamptz, timestamptz, text, integer), audit_is_rare(jsonb, timestamptz, timestamptz, timestamptz, text) TO forecourt_sequencer;
