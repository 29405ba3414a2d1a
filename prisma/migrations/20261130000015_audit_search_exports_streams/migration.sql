-- Reading the audit trail: searches on large trails, export jobs, and streams to a SIEM (docs/adr/0042-reading-exporting-streaming-the-trail.md).
-- Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ search
-- One index for every condition that may be rare by itself. What agents do all day (surface mcp, succeeded) is in none of the
-- partial ones.
CREATE INDEX audit_events_by_operation ON audit_events (organization_id, operation, recorded_at DESC);
CREATE INDEX audit_events_by_profile ON audit_events (organization_id, profile, recorded_at DESC) WHERE profile IS NOT NULL;
CREATE INDEX audit_events_by_policy ON audit_events (organization_id, policy_version, recorded_at DESC) WHERE policy_version IS NOT NULL;
CREATE INDEX audit_events_by_client ON audit_events (organization_id, client, recorded_at DESC) WHERE client IS NOT NULL;
CREATE INDEX audit_events_by_surface ON audit_events (organization_id, surface, recorded_at DESC) WHERE surface <> 'mcp';
CREATE INDEX audit_events_by_failure ON audit_events (organization_id, outcome, recorded_at DESC) WHERE outcome <> 'succeeded' OR decision = 'deny';
-- Whom and what a record is about. Several ids a record, hence GIN.
CREATE INDEX audit_events_by_ids ON audit_events USING gin (rooftop_ids, resource_ids);

-- The condition of a search as text: planned with its values, so that the partial indexes count. Every value is quoted.
CREATE FUNCTION audit_condition(p_filter jsonb) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = forecourt, pg_temp AS $$
DECLARE
  written text := format('organization_id = %L', current_tenant());
  name    text;
  value   text;
BEGIN
  FOR name, value IN SELECT * FROM jsonb_each_text(p_filter) ORDER BY 1 LOOP
    written := written || ' AND ' || CASE name
      WHEN 'from' THEN format('recorded_at >= %L::timestamptz', value)
      WHEN 'to' THEN format('recorded_at < %L::timestamptz', value)
      WHEN 'traceId' THEN format('trace_id = %L', value)
      WHEN 'actor' THEN format('actor = %L', value)
      WHEN 'client' THEN format('client = %L', value)
      WHEN 'operation' THEN format('operation = %L', value)
      WHEN 'profile' THEN format('profile = %L', value)
      WHEN 'surface' THEN format('surface = %L', value)
      WHEN 'rooftopId' THEN format('rooftop_ids @> ARRAY[%L]', value)
      WHEN 'resourceId' THEN format('resource_ids @> ARRAY[%L]', value)
      WHEN 'subject' THEN format('(resource_ids @> ARRAY[%L] OR actor = %L)', value, value)
      WHEN 'decision' THEN format('decision = %L', value)
      WHEN 'outcome' THEN format('outcome = %L', value)
      WHEN 'policyVersion' THEN format('policy_version = %L', value)
      ELSE NULL END;
  END LOOP;
  RETURN coalesce(written, 'false'); -- a condition that is not known finds nothing
END
$$;

CREATE FUNCTION audit_search_statement(p_filter jsonb, p_at timestamptz, p_event text, p_limit integer) RETURNS text
  LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT 'SELECT * FROM audit_events WHERE ' || audit_condition(p_filter)
               || CASE WHEN p_at IS NULL THEN '' ELSE format(' AND recorded_at <= %L AND (recorded_at, event_id) < (%L, %L)', p_at, p_at, p_event) END
               || format(' ORDER BY recorded_at DESC, event_id DESC LIMIT %s', greatest(least(p_limit, 1001), 0)) $$;

-- Newest first, of the tenant of the transaction. Row-level security asks for the tenant before anything else and lets no index
-- of arrays be used meanwhile; these functions run as forecourt_sequencer, which sees all rows, and ask for the tenant themselves.
CREATE FUNCTION find_audit_events(p_filter jsonb, p_at timestamptz, p_event text, p_limit integer) RETURNS SETOF audit_events
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE audit_search_statement(p_filter, p_at, p_event, p_limit);
END
$$;

-- What agents asked of a rooftop, by UTC day, tool and outcome; from behind (p_day, p_operation, p_outcome) on.
CREATE FUNCTION audit_receipts(p_filter jsonb, p_day date, p_operation text, p_outcome text, p_limit integer)
  RETURNS TABLE (day text, operation text, outcome text, calls double precision)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT to_char(day, ''YYYY-MM-DD''), operation, outcome, calls FROM (
       SELECT (recorded_at AT TIME ZONE ''UTC'')::date AS day, operation, outcome, count(*)::float8 AS calls
       FROM audit_events WHERE %s AND surface IN (''mcp'', ''a2a'') %s GROUP BY 1, 2, 3) AS counted
     WHERE %L::date IS NULL OR (day, operation COLLATE "C", outcome COLLATE "C") > (%L::date, %L, %L)
     ORDER BY day, operation COLLATE "C", outcome COLLATE "C" LIMIT %s',
    audit_condition(p_filter), CASE WHEN p_day IS NULL THEN '' ELSE format('AND recorded_at >= (%L::date)::timestamp AT TIME ZONE ''UTC''', p_day) END,
    p_day, p_day, p_operation, p_outcome, greatest(least(p_limit, 1001), 0));
END
$$;

-- All that a search finds, added up: what was reached, how often, first and last. The most frequent p_most of each kind.
CREATE FUNCTION sum_up_audit(p_filter jsonb, p_most integer) RETURNS jsonb
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  summed jsonb;
BEGIN
  EXECUTE format(
    'WITH hit AS MATERIALIZED (SELECT recorded_at, actor_kind, actor, client, operation, outcome, rooftop_ids, resource_ids FROM audit_events WHERE %s),
          what AS MATERIALIZED (SELECT actor_kind, actor, client, operation, outcome, count(*) AS records, min(recorded_at) AS first, max(recorded_at) AS last
                   FROM hit GROUP BY actor_kind, actor, client, operation, outcome),
          -- Most records of a caller name the same rooftops: lists are counted first and taken apart afterwards.
          sets AS (SELECT rooftop_ids, count(*) AS records, min(recorded_at) AS first, max(recorded_at) AS last FROM hit GROUP BY rooftop_ids),
          roofs AS (SELECT id, sum(records) AS records, min(first) AS first, max(last) AS last FROM sets, unnest(rooftop_ids) AS id GROUP BY id),
          things AS (SELECT id, count(*) AS records, min(recorded_at) AS first, max(recorded_at) AS last FROM hit, unnest(resource_ids) AS id GROUP BY id)
     SELECT jsonb_build_object(
       ''records'', (SELECT coalesce(sum(records), 0) FROM what), ''first'', (SELECT min(first) FROM what), ''last'', (SELECT max(last) FROM what),
       ''callers_total'', (SELECT count(*) FROM (SELECT DISTINCT actor_kind, actor, client FROM what) AS c),
       ''callers'', (SELECT jsonb_agg(c) FROM (SELECT actor_kind, actor, client, sum(records) AS records, min(first) AS first, max(last) AS last FROM what
                       GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT %2$s) AS c),
       ''operations'', (SELECT jsonb_agg(o) FROM (SELECT operation, outcome, sum(records) AS records, min(first) AS first, max(last) AS last FROM what
                       GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT %2$s) AS o),
       ''rooftops_total'', (SELECT count(*) FROM roofs),
       ''rooftops'', (SELECT jsonb_agg(r) FROM (SELECT * FROM roofs ORDER BY records DESC, id LIMIT %2$s) AS r),
       ''resources_total'', (SELECT count(*) FROM things),
       ''resources'', (SELECT jsonb_agg(t) FROM (SELECT * FROM things ORDER BY records DESC, id LIMIT %2$s) AS t))',
    audit_condition(p_filter), greatest(least(p_most, 1000), 1)) INTO summed;
  RETURN summed;
END
$$;

-- ------------------------------------------------------------------------------------------------ exports
-- One export: which rows (`filter`), how far it is, and what came out. The job's queue knows the id and nothing else.
CREATE TABLE audit_exports (
  organization_id text NOT NULL,
  export_id       text NOT NULL CHECK (export_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  format          text NOT NULL CHECK (format IN ('ndjson', 'csv', 'ocsf')),
  filter          jsonb NOT NULL,
  state           text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'ready', 'failed')),
  requested_by    text NOT NULL,
  requested_at    timestamptz(6) NOT NULL DEFAULT now(),
  attempt         integer NOT NULL DEFAULT 0,
  lease_until     timestamptz(6),
  header          jsonb, -- which stretch of the log, under which checkpoint: set when it begins, and final
  next_seq        bigint,
  records         bigint NOT NULL DEFAULT 0,
  bytes           bigint NOT NULL DEFAULT 0,
  first_seq       bigint,
  last_seq        bigint,
  manifest        text,
  failure         text,
  finished_at     timestamptz(6),
  PRIMARY KEY (organization_id, export_id),
  CHECK ((state = 'ready') = (manifest IS NOT NULL)),
  CHECK ((state = 'failed') = (failure IS NOT NULL))
);

-- The file in pieces, each kept by its content. A piece and the export's place in the log change in one transaction, so that
-- whoever goes on after a killed worker neither loses nor doubles a row.
CREATE TABLE audit_export_parts (
  organization_id text NOT NULL,
  export_id       text NOT NULL,
  part            integer NOT NULL CHECK (part >= 0),
  storage_key     text NOT NULL,
  sha256          text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  bytes           bigint NOT NULL,
  PRIMARY KEY (organization_id, export_id, part),
  FOREIGN KEY (organization_id, export_id) REFERENCES audit_exports
);

-- ------------------------------------------------------------------------------------------------ streams
-- Where the trail is sent on, row by row from `next_seq`. The secret that signs is sealed with a key outside the database.
CREATE TABLE audit_streams (
  organization_id   text NOT NULL,
  stream_id         text NOT NULL CHECK (stream_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  version           integer NOT NULL DEFAULT 1,
  name              text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  url               text NOT NULL CHECK (length(url) BETWEEN 1 AND 1000),
  format            text NOT NULL CHECK (format IN ('records', 'ocsf')),
  secret            bytea NOT NULL,
  state             text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'stopped', 'revoked')),
  next_seq          bigint NOT NULL DEFAULT 0 CHECK (next_seq >= 0),
  failures          integer NOT NULL DEFAULT 0, -- in a row
  failing_since     timestamptz(6),
  retry_at          timestamptz(6),
  last_problem      text,
  last_delivered_at timestamptz(6),
  lease             text,
  lease_until       timestamptz(6),
  created_at        timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, stream_id)
);
CREATE INDEX audit_streams_active ON audit_streams (retry_at) WHERE state = 'active';

-- Stretches that are sent once more, beside what is new.
CREATE TABLE audit_stream_replays (
  organization_id text NOT NULL,
  replay_id       text NOT NULL CHECK (replay_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  stream_id       text NOT NULL,
  from_seq        bigint NOT NULL CHECK (from_seq >= 0),
  to_seq          bigint NOT NULL,
  next_seq        bigint NOT NULL,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, replay_id),
  FOREIGN KEY (organization_id, stream_id) REFERENCES audit_streams,
  CHECK (from_seq <= to_seq AND from_seq <= next_seq AND next_seq <= to_seq)
);
CREATE INDEX audit_stream_replays_open ON audit_stream_replays (organization_id, stream_id) WHERE next_seq < to_seq;

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['audit_exports', 'audit_export_parts', 'audit_streams', 'audit_stream_replays']) AS t;

-- Exports that no live worker holds, of organizations that are served.
CREATE POLICY owner_lookup ON audit_exports FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION open_audit_exports(p_limit integer) RETURNS TABLE (organization_id text, export_id text, attempt integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT x.organization_id, x.export_id, x.attempt FROM audit_exports x JOIN organizations o ON o.organization_id = x.organization_id AND o.state = 'active'
        WHERE x.state = 'queued' OR (x.state = 'running' AND x.lease_until < now())
        ORDER BY x.requested_at LIMIT least(p_limit, 1000) $$;

-- Streams that have something to send and that no live worker holds; those that waited longest first.
CREATE POLICY sequencing ON audit_streams FOR SELECT TO forecourt_sequencer USING (true);
CREATE POLICY sequencing ON audit_stream_replays FOR SELECT TO forecourt_sequencer USING (true);
GRANT SELECT ON audit_streams, audit_stream_replays TO forecourt_sequencer;
CREATE FUNCTION due_audit_streams(p_limit integer) RETURNS TABLE (organization_id text, stream_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT s.organization_id, s.stream_id FROM audit_streams s LEFT JOIN audit_logs l ON l.organization_id = s.organization_id
        WHERE s.state = 'active' AND coalesce(s.retry_at <= clock_timestamp(), true) AND coalesce(s.lease_until <= clock_timestamp(), true)
          AND (s.next_seq < l.size OR EXISTS (SELECT FROM audit_stream_replays r WHERE r.organization_id = s.organization_id
                                                AND r.stream_id = s.stream_id AND r.next_seq < r.to_seq))
        ORDER BY s.retry_at NULLS FIRST, s.last_delivered_at NULLS FIRST LIMIT least(p_limit, 1000) $$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT SELECT, INSERT, UPDATE ON audit_exports, audit_streams, audit_stream_replays TO forecourt_app;
GRANT SELECT, INSERT ON audit_export_parts TO forecourt_app;

GRANT CREATE ON SCHEMA forecourt TO forecourt_sequencer;
ALTER FUNCTION find_audit_events(jsonb, timestamptz, text, integer) OWNER TO forecourt_sequencer;
ALTER FUNCTION audit_receipts(jsonb, date, text, text, integer) OWNER TO forecourt_sequencer;
ALTER FUNCTION sum_up_audit(jsonb, integer) OWNER TO forecourt_sequencer;
ALTER FUNCTION due_audit_streams(integer) OWNER TO forecourt_sequencer;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_sequencer;

REVOKE EXECUTE ON FUNCTION audit_condition(jsonb), audit_search_statement(jsonb, timestamptz, text, integer), find_audit_events(jsonb, timestamptz, text, integer),
  audit_receipts(jsonb, date, text, text, integer), sum_up_audit(jsonb, integer), open_audit_exports(integer), due_audit_streams(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_condition(jsonb), audit_search_statement(jsonb, timestamptz, text, integer) TO forecourt_sequencer, forecourt_app;
GRANT EXECUTE ON FUNCTION find_audit_events(jsonb, timestamptz, text, integer), audit_receipts(jsonb, date, text, text, integer),
  sum_up_audit(jsonb, integer), open_audit_exports(integer), due_audit_streams(integer) TO forecourt_app;
