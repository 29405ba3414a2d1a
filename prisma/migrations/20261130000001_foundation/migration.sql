-- Foundation: tenants, rooftops, credentials, feeds and what they publish, the audit trail.
-- Runs as forecourt_owner with search_path = forecourt. Every table that carries organization_id is a tenant table and
-- gets row-level security from the one template below; test/integration/tenant-isolation.spec.ts walks the catalogue.

CREATE DOMAIN minted_id AS text CHECK (VALUE ~ '^[a-z0-9][a-z0-9._-]{0,127}$');

-- The template. `app.tenant` is set inside the transaction; unset or empty hides every row instead of raising.
CREATE FUNCTION current_tenant() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.tenant', true), '') $$;

CREATE FUNCTION isolate_tenant_table(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', target);
  EXECUTE format('CREATE POLICY tenant_isolation ON %s USING (organization_id = current_tenant()) WITH CHECK (organization_id = current_tenant())', target);
END
$$;

-- ------------------------------------------------------------------------------------------------ tenancy
CREATE TABLE organizations (
  organization_id text PRIMARY KEY CHECK (organization_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$' AND organization_id <> 'forecourt.platform'),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  legal_name      text CHECK (length(legal_name) BETWEEN 1 AND 240),
  website         text,
  settings        jsonb NOT NULL DEFAULT '{}',
  version         integer NOT NULL DEFAULT 1,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  updated_at      timestamptz(6) NOT NULL DEFAULT now()
);

CREATE TABLE rooftops (
  organization_id text NOT NULL REFERENCES organizations,
  rooftop_id      text NOT NULL CHECK (rooftop_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  legal_name      text CHECK (length(legal_name) BETWEEN 1 AND 240),
  website         text,
  address         jsonb NOT NULL,
  timezone        text NOT NULL CHECK (length(timezone) BETWEEN 1 AND 64),
  currency        text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  departments     text[] NOT NULL CHECK (cardinality(departments) >= 1),
  contacts        jsonb NOT NULL DEFAULT '[]',
  hours           jsonb NOT NULL DEFAULT '[]',
  languages       text[] NOT NULL DEFAULT '{}',
  settings        jsonb NOT NULL DEFAULT '{}',
  id_seed         bytea NOT NULL CHECK (length(id_seed) = 16),
  version         integer NOT NULL DEFAULT 1,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  updated_at      timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, rooftop_id)
);

CREATE TABLE api_keys (
  key_id          text PRIMARY KEY,
  organization_id text NOT NULL REFERENCES organizations,
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  role            text NOT NULL CHECK (role IN ('admin', 'compliance', 'auditor', 'app')),
  secret_hash     bytea NOT NULL CHECK (length(secret_hash) = 32),
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  expires_at      timestamptz(6),
  revoked_at      timestamptz(6)
);
CREATE INDEX api_keys_by_organization ON api_keys (organization_id);

-- ------------------------------------------------------------------------------------------------ feeds
CREATE TABLE feeds (
  organization_id text NOT NULL REFERENCES organizations,
  feed_id         text NOT NULL CHECK (feed_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  profile         text NOT NULL,
  rooftops        jsonb NOT NULL,
  settings        jsonb NOT NULL DEFAULT '{}',
  source          jsonb NOT NULL DEFAULT '{"kind":"upload"}',
  enabled         boolean NOT NULL DEFAULT true,
  version         integer NOT NULL DEFAULT 1,
  last_pulled_at  timestamptz(6),
  fetch_state     jsonb NOT NULL DEFAULT '{}', -- validators and outcome of the last fetch; not configuration, so it has no version
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  updated_at      timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, feed_id)
);

CREATE TABLE feed_files (
  organization_id   text NOT NULL REFERENCES organizations,
  sha256            text NOT NULL CHECK (sha256 ~ '^[a-f0-9]{64}$'),
  bytes             bigint NOT NULL CHECK (bytes >= 0),
  storage_key       text NOT NULL,
  original_name     text NOT NULL CHECK (length(original_name) <= 255),
  first_received_at timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, sha256)
);

CREATE TABLE feed_runs (
  organization_id text NOT NULL,
  run_id          text NOT NULL CHECK (run_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  feed_id         text NOT NULL,
  sha256          text NOT NULL,
  origin          text NOT NULL CHECK (origin IN ('upload', 'watch', 'pull', 'command', 'demo', 'release')),
  state           text NOT NULL CHECK (state IN ('queued', 'running', 'published', 'held', 'failed', 'superseded')),
  attempt         integer NOT NULL DEFAULT 0,
  lease_until     timestamptz(6),
  received_at     timestamptz(6) NOT NULL DEFAULT now(),
  started_at      timestamptz(6),
  finished_at     timestamptz(6),
  progress        jsonb NOT NULL DEFAULT '{}',
  report          jsonb NOT NULL DEFAULT '{}',
  hold_reasons    text[] NOT NULL DEFAULT '{}',
  column_maps     jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (organization_id, run_id),
  FOREIGN KEY (organization_id, feed_id) REFERENCES feeds,
  FOREIGN KEY (organization_id, sha256) REFERENCES feed_files
);
CREATE INDEX feed_runs_by_feed ON feed_runs (organization_id, feed_id, received_at DESC);
CREATE INDEX feed_runs_open ON feed_runs (lease_until) WHERE state IN ('queued', 'running');

CREATE TABLE feed_run_rows (
  organization_id text NOT NULL,
  run_id          text NOT NULL,
  attempt         integer NOT NULL,
  ordinal         integer NOT NULL,
  line            integer NOT NULL,
  record          integer NOT NULL,
  column_name     text,
  disposition     text NOT NULL CHECK (disposition IN ('quarantined', 'withheld', 'collapsed', 'flagged')),
  reason          text NOT NULL,
  rooftop_id      text,
  vin             text,
  detail          text CHECK (length(detail) <= 500),
  PRIMARY KEY (organization_id, run_id, attempt, ordinal),
  FOREIGN KEY (organization_id, run_id) REFERENCES feed_runs
);

-- ------------------------------------------------------------------------------------------------ published inventory
CREATE TABLE snapshots (
  organization_id text NOT NULL,
  snapshot_id     text NOT NULL CHECK (snapshot_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  rooftop_id      text NOT NULL,
  feed_id         text NOT NULL,
  run_id          text NOT NULL,
  attempt         integer NOT NULL,
  state           text NOT NULL CHECK (state IN ('building', 'held', 'published', 'superseded', 'discarded')),
  unit_count      integer NOT NULL DEFAULT 0,
  built_at        timestamptz(6) NOT NULL DEFAULT now(),
  published_at    timestamptz(6),
  PRIMARY KEY (organization_id, snapshot_id),
  FOREIGN KEY (organization_id, rooftop_id) REFERENCES rooftops,
  FOREIGN KEY (organization_id, run_id) REFERENCES feed_runs
);
CREATE INDEX snapshots_by_run ON snapshots (organization_id, run_id);

CREATE TABLE rooftop_inventory (
  organization_id text NOT NULL,
  rooftop_id      text NOT NULL,
  snapshot_id     text NOT NULL,
  feed_id         text NOT NULL,
  received_at     timestamptz(6) NOT NULL,
  switched_at     timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, rooftop_id),
  FOREIGN KEY (organization_id, rooftop_id) REFERENCES rooftops,
  FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots
);

CREATE TABLE inventory_versions (
  organization_id text PRIMARY KEY REFERENCES organizations,
  version         bigint NOT NULL DEFAULT 0
);

CREATE TABLE units (
  organization_id text NOT NULL,
  snapshot_id     text NOT NULL,
  vehicle_id      text NOT NULL CHECK (vehicle_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  rooftop_id      text NOT NULL,
  vin             text NOT NULL CHECK (vin ~ '^[A-HJ-NPR-Z0-9]{17}$'),
  stock_number    text NOT NULL,
  year            integer NOT NULL,
  make            text NOT NULL,
  model           text NOT NULL,
  trim            text,
  condition       text NOT NULL,
  vehicle_type    text,
  body_style      text,
  price_minor     bigint CHECK (price_minor > 0),
  currency        text,
  odometer_value  integer CHECK (odometer_value >= 0),
  odometer_unit   text CHECK (odometer_unit IN ('mi', 'km')),
  availability    text NOT NULL,
  observed_at     timestamptz(3) NOT NULL,
  withheld        text,
  dap_head        text,
  record          jsonb NOT NULL,
  source_line     integer NOT NULL,
  source_record   integer NOT NULL,
  column_map      integer NOT NULL,
  sha256          text NOT NULL,
  run_id          text NOT NULL,
  CHECK ((price_minor IS NULL) = (currency IS NULL)),
  CHECK ((odometer_value IS NULL) = (odometer_unit IS NULL)),
  CHECK ((withheld IS NULL) = (dap_head IS NOT NULL)), -- never an offer without a serialised record, never one withheld with it
  PRIMARY KEY (organization_id, snapshot_id, vehicle_id),
  FOREIGN KEY (organization_id, snapshot_id) REFERENCES snapshots
) WITH (toast_tuple_target = 8160); -- rows of about 2 kB stay in line: compressing each would cost a quarter of an import
CREATE INDEX units_by_vin ON units (organization_id, vin);

CREATE TABLE unit_events (
  organization_id text NOT NULL,
  event_id        text NOT NULL CHECK (length(event_id) BETWEEN 1 AND 128),
  rooftop_id      text NOT NULL,
  vin             text NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('sold', 'price', 'removed')),
  source_time     timestamptz(3) NOT NULL,
  payload         jsonb NOT NULL DEFAULT '{}',
  effect          text NOT NULL CHECK (effect IN ('applied', 'superseded', 'unknown_unit')),
  received_at     timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, event_id),
  FOREIGN KEY (organization_id, rooftop_id) REFERENCES rooftops
);

CREATE TABLE unit_overlays (
  organization_id text NOT NULL,
  rooftop_id      text NOT NULL,
  vin             text NOT NULL,
  status          text CHECK (status IN ('sold', 'removed')),
  status_time     timestamptz(3),
  price_minor     bigint CHECK (price_minor > 0),
  currency        text,
  price_time      timestamptz(3),
  PRIMARY KEY (organization_id, rooftop_id, vin),
  FOREIGN KEY (organization_id, rooftop_id) REFERENCES rooftops,
  CHECK ((status IS NULL) = (status_time IS NULL)),
  CHECK ((price_minor IS NULL) = (price_time IS NULL)),
  CHECK ((price_minor IS NULL) = (currency IS NULL))
);

-- ------------------------------------------------------------------------------------------------ audit
-- Final row form (decision record 0009): canon is what is hashed; typed columns are a projection of it made by the same
-- statement; actor and client are erasable, the canon holds only their commitments under the row's nonce.
CREATE TABLE audit_events (
  recorded_at     timestamptz(6) NOT NULL DEFAULT transaction_timestamp(),
  event_id        text NOT NULL,
  xid             xid8 NOT NULL DEFAULT pg_current_xact_id(),
  organization_id text NOT NULL,
  occurred_at     timestamptz(3) NOT NULL,
  trace_id        text NOT NULL,
  surface         text NOT NULL,
  operation       text NOT NULL,
  profile         text,
  actor_kind      text NOT NULL,
  actor           text,
  client          text,
  rooftop_ids     text[] NOT NULL,
  resource_ids    text[] NOT NULL,
  decision        text NOT NULL CHECK (decision IN ('allow', 'deny')),
  reason          text,
  policy_version  text,
  outcome         text NOT NULL CHECK (outcome IN ('succeeded', 'failed', 'denied')),
  failure_code    text,
  purpose         text,
  canon           bytea NOT NULL,
  nonce           bytea CHECK (length(nonce) = 16),
  leaf            bytea NOT NULL GENERATED ALWAYS AS (sha256('\x00'::bytea || canon)) STORED,
  PRIMARY KEY (recorded_at, event_id)
) PARTITION BY RANGE (recorded_at);
CREATE INDEX audit_events_by_organization ON audit_events (organization_id, recorded_at DESC);

-- Months are created ahead; there is never a DEFAULT partition (it would block DETACH … CONCURRENTLY).
CREATE FUNCTION ensure_audit_partitions(months_ahead integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  month   timestamptz := date_trunc('month', now(), 'UTC');
  name    text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('forecourt.audit_partitions'));
  FOR i IN 0 .. least(greatest(months_ahead, 0), 24) LOOP
    name := 'audit_events_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
    IF to_regclass('forecourt.' || name) IS NULL THEN
      -- Made apart and attached: PARTITION OF would lock every reader and writer of the trail out until it is done.
      EXECUTE format('CREATE TABLE %I (LIKE audit_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)', name);
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
      EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
      EXECUTE format('CREATE POLICY tenant_isolation ON %I USING (organization_id = current_tenant()) WITH CHECK (organization_id = current_tenant())', name);
      EXECUTE format('ALTER TABLE audit_events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, month, date_add(month, '1 month', 'UTC'));
      created := created + 1;
    END IF;
    month := date_add(month, '1 month', 'UTC');
  END LOOP;
  RETURN created;
END
$$;

-- Appends records of one tenant. One line each: nonce (32 hex) TAB actor TAB client TAB canon; an empty actor or client is null.
-- The typed columns are read out of the canonical bytes here, so that they cannot disagree with what is hashed. The tenant of
-- the surrounding transaction is put back, so that one statement may append for several tenants. OFFSET 0 keeps the planner
-- from splitting and parsing each line once for every column.
CREATE FUNCTION append_audit(p_organization text, p_lines text) RETURNS integer
  LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  appended     integer;
BEGIN
  PERFORM set_config('app.tenant', p_organization, true);
  INSERT INTO audit_events (event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client,
                            rooftop_ids, resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, canon, nonce)
  SELECT j ->> 1, j ->> 3, (j ->> 2)::timestamptz, j ->> 4, j ->> 5, j ->> 6, j ->> 7, j ->> 8, nullif(part[2], ''), nullif(part[3], ''),
         ARRAY(SELECT jsonb_array_elements_text(j -> 11)), ARRAY(SELECT jsonb_array_elements_text(j -> 12)),
         j ->> 13, j ->> 14, j ->> 15, j ->> 16, j ->> 17, j ->> 18, convert_to(part[4], 'UTF8'), decode(part[1], 'hex')
  FROM (SELECT part, part[4]::jsonb AS j
        FROM (SELECT string_to_array(line, E'\t') AS part FROM string_to_table(p_lines, E'\n') AS line OFFSET 0) AS split
        OFFSET 0) AS parsed;
  GET DIAGNOSTICS appended = ROW_COUNT;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN appended;
END
$$;

-- ------------------------------------------------------------------------------------------------ isolation and rights
SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['organizations', 'rooftops', 'api_keys', 'feeds', 'feed_files', 'feed_runs',
  'feed_run_rows', 'snapshots', 'rooftop_inventory', 'inventory_versions', 'units', 'unit_events', 'unit_overlays', 'audit_events']) AS t;
SELECT ensure_audit_partitions(3);

GRANT SELECT, INSERT, UPDATE ON organizations, rooftops, api_keys, feeds, feed_runs, snapshots, rooftop_inventory, inventory_versions, unit_overlays TO forecourt_app;
GRANT SELECT, INSERT ON feed_files, feed_run_rows, unit_events TO forecourt_app;
-- Not recorded_at and xid: the sequencer's horizon and the partition follow from them, so the application cannot choose them.
GRANT SELECT, INSERT (event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client, rooftop_ids,
  resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, canon, nonce) ON audit_events TO forecourt_app;
GRANT SELECT, INSERT, DELETE ON units TO forecourt_app;
GRANT DELETE ON feed_run_rows, snapshots TO forecourt_app; -- only what an interrupted attempt left behind; published history stays
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA forecourt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION current_tenant(), ensure_audit_partitions(integer), append_audit(text, text) TO forecourt_app;
GRANT EXECUTE ON FUNCTION current_tenant() TO forecourt_sequencer, forecourt_retention, forecourt_migrator;

-- ------------------------------------------------------------------------------------------------ before the tenant is known
-- Look-ups that cannot know the tenant yet run as the owner, who alone has these read policies. Each is listed in
-- test/integration/tenant-isolation.spec.ts.
CREATE POLICY owner_lookup ON organizations FOR SELECT TO forecourt_owner USING (true);
CREATE POLICY owner_lookup ON api_keys FOR SELECT TO forecourt_owner USING (true);
CREATE POLICY owner_lookup ON feeds FOR SELECT TO forecourt_owner USING (true);
CREATE POLICY owner_lookup ON feed_runs FOR SELECT TO forecourt_owner USING (true);

CREATE FUNCTION find_organization(p_organization text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT organization_id FROM organizations WHERE organization_id = p_organization $$;

-- The only organization of a single-group installation, else null.
CREATE FUNCTION sole_organization() RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT min(organization_id) FROM organizations HAVING count(*) = 1 $$;

CREATE FUNCTION find_api_key(p_key_id text)
  RETURNS TABLE (key_id text, organization_id text, name text, role text, secret_hash bytea, expires_at timestamptz, revoked_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT k.key_id, k.organization_id, k.name, k.role, k.secret_hash, k.expires_at, k.revoked_at FROM api_keys k WHERE k.key_id = p_key_id $$;

-- Runs that no live worker holds: queued ones, and running ones whose lease has expired.
CREATE FUNCTION open_feed_runs(p_limit integer) RETURNS TABLE (organization_id text, run_id text, attempt integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT r.organization_id, r.run_id, r.attempt FROM feed_runs r
        WHERE r.state = 'queued' OR (r.state = 'running' AND r.lease_until < now())
        ORDER BY r.received_at LIMIT least(p_limit, 1000) $$;

-- Feeds that fetch for themselves: watched folders and scheduled pulls.
CREATE FUNCTION fetching_feeds() RETURNS TABLE (organization_id text, feed_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT f.organization_id, f.feed_id FROM feeds f WHERE f.enabled AND f.source ->> 'kind' IN ('watch', 'pull') $$;

REVOKE EXECUTE ON FUNCTION find_organization(text), sole_organization(), find_api_key(text), open_feed_runs(integer), fetching_feeds() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_organization(text), sole_organization(), find_api_key(text), open_feed_runs(integer), fetching_feeds() TO forecourt_app;
