-- Organizations with a life of their own, rooftops that change hands, and keys with networks, scopes and successors
-- (docs/adr/0036-organizations-and-keys.md). Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ organizations
-- What a new rooftop gets where it says nothing, and whether the organization is served at all.
ALTER TABLE organizations
  ADD COLUMN timezone text CHECK (length(timezone) BETWEEN 1 AND 64),
  ADD COLUMN currency text CHECK (currency ~ '^[A-Z]{3}$'),
  ADD COLUMN country  text CHECK (country ~ '^[A-Z]{2}$'),
  ADD COLUMN state    text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended', 'offboarded'));

-- The platform is a tenant of its own: keys and records of operators belong to it. It has no rooftops and is never served.
ALTER TABLE organizations DROP CONSTRAINT organizations_organization_id_check;
ALTER TABLE organizations ADD CONSTRAINT organizations_organization_id_check CHECK (organization_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$');

-- Off-boarding is final, and the id of an organization is never used again: no row is deleted, none goes back.
CREATE FUNCTION only_forward() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF OLD.state = 'offboarded' AND NEW.state <> 'offboarded' THEN
    RAISE EXCEPTION 'an organization that was off-boarded does not come back' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_forward BEFORE UPDATE ON organizations FOR EACH ROW EXECUTE FUNCTION only_forward();

CREATE TABLE organization_states (
  organization_id text NOT NULL REFERENCES organizations,
  ordinal         integer NOT NULL CHECK (ordinal >= 1),
  state           text NOT NULL CHECK (state IN ('active', 'suspended', 'offboarded')),
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  created_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, ordinal)
);

-- ------------------------------------------------------------------------------------------------ rooftops that change hands
-- The row stays where the history is; the rooftop itself is served by whoever has it now.
ALTER TABLE rooftops
  ADD COLUMN moved_at timestamptz(3),
  ADD COLUMN moved_to text;
ALTER TABLE rooftops ADD CONSTRAINT rooftops_moved_check CHECK ((moved_at IS NULL) = (moved_to IS NULL));

-- Each side writes its own half, which only it can see; the operator brings both together.
CREATE TABLE rooftop_transfers (
  organization_id       text NOT NULL REFERENCES organizations,
  move_id               text NOT NULL CHECK (move_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  side                  text NOT NULL CHECK (side IN ('offer', 'acceptance')),
  rooftop_id            text NOT NULL CHECK (rooftop_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  other_organization_id text NOT NULL CHECK (other_organization_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  author                text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  created_at            timestamptz(3) NOT NULL,
  expires_at            timestamptz(3) NOT NULL,
  withdrawn_at          timestamptz(3),
  completed_at          timestamptz(3),
  CHECK (organization_id <> other_organization_id),
  CHECK (withdrawn_at IS NULL OR completed_at IS NULL),
  PRIMARY KEY (organization_id, move_id)
);

-- ------------------------------------------------------------------------------------------------ keys
-- Empty lists restrict nothing. `retires_at`: when the successor stands alone. `last_used_at`: to the minute.
ALTER TABLE api_keys
  ADD COLUMN scopes       text[] NOT NULL DEFAULT '{}',
  ADD COLUMN networks     text[] NOT NULL DEFAULT '{}',
  ADD COLUMN version      integer NOT NULL DEFAULT 1 CHECK (version >= 1),
  ADD COLUMN replaces     text,
  ADD COLUMN retires_at   timestamptz(6),
  ADD COLUMN last_used_at timestamptz(6),
  ADD CONSTRAINT api_keys_of_organization UNIQUE (organization_id, key_id);

-- What may change of a key, by version: who holds it and from where it may be used. Rows are only ever added.
CREATE TABLE api_key_versions (
  organization_id text NOT NULL,
  key_id          text NOT NULL,
  version         integer NOT NULL CHECK (version >= 1),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  networks        text[] NOT NULL,
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  created_at      timestamptz(6) NOT NULL,
  PRIMARY KEY (organization_id, key_id, version),
  FOREIGN KEY (organization_id, key_id) REFERENCES api_keys (organization_id, key_id)
);

-- What is there becomes the first of each. Each tenant in turn: row-level security holds for the owner, too.
DO $$
DECLARE
  tenant text;
BEGIN
  PERFORM set_config('app.tenant', 'forecourt.platform', true);
  INSERT INTO organizations (organization_id, name) VALUES ('forecourt.platform', 'Platform');
  FOR tenant IN SELECT organization_id FROM organizations LOOP
    PERFORM set_config('app.tenant', tenant, true);
    INSERT INTO organization_states (organization_id, ordinal, state, author, created_at)
      SELECT organization_id, 1, 'active', 'forecourt', created_at FROM organizations WHERE organization_id = tenant;
    INSERT INTO api_key_versions (organization_id, key_id, version, name, networks, author, created_at)
      SELECT organization_id, key_id, 1, name, networks, 'forecourt', created_at FROM api_keys WHERE organization_id = tenant;
  END LOOP;
  PERFORM set_config('app.tenant', '', true);
END
$$;

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['organization_states', 'rooftop_transfers', 'api_key_versions']) AS t;
GRANT SELECT, INSERT ON organization_states, rooftop_transfers, api_key_versions TO forecourt_app;
GRANT UPDATE (withdrawn_at) ON rooftop_transfers TO forecourt_app; -- completion is the function's alone
CREATE POLICY owner_lookup ON rooftop_transfers FOR SELECT TO forecourt_owner USING (true);

-- ------------------------------------------------------------------------------------------------ before the tenant is known
-- As before, and with what a key is bound to. The state of the organization belongs to the look-up: keys of one that is not
-- served open nothing, without a second query.
DROP FUNCTION find_api_key(text);
CREATE FUNCTION find_api_key(p_key_id text)
  RETURNS TABLE (key_id text, organization_id text, name text, role text, secret_hash bytea, grant_id text, expires_at timestamptz, revoked_at timestamptz,
                 retires_at timestamptz, scopes text[], networks text[], organization_state text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT k.key_id, k.organization_id, k.name, k.role, k.secret_hash, k.grant_id, k.expires_at, k.revoked_at,
               k.retires_at, k.scopes, k.networks, o.state
        FROM api_keys k JOIN organizations o ON o.organization_id = k.organization_id WHERE k.key_id = p_key_id $$;

CREATE OR REPLACE FUNCTION find_organization(p_organization text) RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT organization_id FROM organizations WHERE organization_id = p_organization AND organization_id <> 'forecourt.platform' AND state = 'active' $$;

-- A suspended organization still counts: its visitors must not find themselves at another one meanwhile.
CREATE OR REPLACE FUNCTION sole_organization() RETURNS text
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT min(organization_id) FILTER (WHERE state = 'active') FROM organizations
        WHERE organization_id <> 'forecourt.platform' AND state <> 'offboarded' HAVING count(*) = 1 $$;

-- Nothing is imported for an organization that is not served; what waits goes on when it is served again.
CREATE OR REPLACE FUNCTION open_feed_runs(p_limit integer) RETURNS TABLE (organization_id text, run_id text, attempt integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT r.organization_id, r.run_id, r.attempt FROM feed_runs r JOIN organizations o ON o.organization_id = r.organization_id AND o.state = 'active'
        WHERE r.state = 'queued' OR (r.state = 'running' AND r.lease_until < now())
        ORDER BY r.received_at LIMIT least(p_limit, 1000) $$;

CREATE OR REPLACE FUNCTION fetching_feeds() RETURNS TABLE (organization_id text, feed_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT f.organization_id, f.feed_id FROM feeds f JOIN organizations o ON o.organization_id = f.organization_id AND o.state = 'active'
        WHERE f.enabled AND f.source ->> 'kind' IN ('watch', 'pull') $$;

-- ------------------------------------------------------------------------------------------------ for operators
-- Both functions ask that the transaction is the platform's: the tenant of any other caller is its own organization.
CREATE FUNCTION list_organizations(p_after text, p_limit integer)
  RETURNS TABLE (organization_id text, name text, state text, version integer, created_at timestamptz, updated_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT o.organization_id, o.name, o.state, o.version, o.created_at, o.updated_at FROM organizations o
        WHERE current_tenant() = 'forecourt.platform' AND o.organization_id <> 'forecourt.platform' AND o.organization_id > p_after
        ORDER BY o.organization_id LIMIT least(p_limit, 501) $$;

CREATE FUNCTION list_rooftop_moves(p_after text, p_limit integer)
  RETURNS TABLE (move_id text, rooftop_id text, from_organization_id text, to_organization_id text, offered_at timestamptz, expires_at timestamptz,
                 accepted_at timestamptz, withdrawn_at timestamptz, completed_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT o.move_id, o.rooftop_id, o.organization_id, o.other_organization_id, o.created_at, o.expires_at, a.created_at,
               coalesce(o.withdrawn_at, a.withdrawn_at), o.completed_at
        FROM rooftop_transfers o
        LEFT JOIN rooftop_transfers a ON a.side = 'acceptance' AND a.move_id = o.move_id AND a.rooftop_id = o.rooftop_id
          AND a.organization_id = o.other_organization_id AND a.other_organization_id = o.organization_id
        WHERE current_tenant() = 'forecourt.platform' AND o.side = 'offer' AND o.move_id > p_after
        ORDER BY o.move_id LIMIT least(p_limit, 501) $$;

-- Carries out a move that both sides have agreed to, in the caller's transaction. It acts as one tenant and then as the other,
-- never as both: row-level security holds for every statement. What it finds wrong it says by the name of the constraint.
CREATE FUNCTION move_rooftop(p_move_id text)
  RETURNS TABLE (rooftop_id text, from_organization_id text, to_organization_id text, units integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
#variable_conflict use_column
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  suffix       text := split_part(p_move_id, '.', 2);
  v_from       text;
  v_to         text;
  v_units      integer := 0;
  offer        rooftop_transfers;
  acceptance   rooftop_transfers;
  moving       rooftops;
  settled      rooftop_settings_versions;
  served       rooftop_inventory;
  snapshot     snapshots;
  feed         feeds;
  run          feed_runs;
  file         feed_files;
  overlays     unit_overlays[];
  batch        units[];
  last_seen    text := '';
BEGIN
  IF outer_tenant <> 'forecourt.platform' THEN
    RAISE EXCEPTION 'only the platform moves rooftops' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('forecourt.rooftop_move'));

  SELECT * INTO offer FROM rooftop_transfers t
    WHERE t.move_id = p_move_id AND t.side = 'offer' AND t.withdrawn_at IS NULL AND t.completed_at IS NULL AND t.expires_at > now();
  SELECT * INTO acceptance FROM rooftop_transfers t
    WHERE t.move_id = p_move_id AND t.side = 'acceptance' AND t.withdrawn_at IS NULL AND t.completed_at IS NULL
      AND t.rooftop_id = offer.rooftop_id AND t.organization_id = offer.other_organization_id AND t.other_organization_id = offer.organization_id;
  v_from := offer.organization_id;
  v_to := acceptance.organization_id;
  IF v_from IS NULL OR v_to IS NULL OR 2 <> (SELECT count(*) FROM organizations o WHERE o.organization_id IN (v_from, v_to) AND o.state = 'active') THEN
    RAISE EXCEPTION 'both sides must have agreed' USING ERRCODE = 'check_violation', CONSTRAINT = 'rooftop_move_agreed';
  END IF;

  -- As the organization that has it: taken out of what is served, everything else left as history.
  PERFORM set_config('app.tenant', v_from, true);
  UPDATE inventory_versions SET version = version + 1; -- the lock of publication
  UPDATE rooftop_transfers t SET completed_at = now() WHERE t.move_id = p_move_id AND t.withdrawn_at IS NULL AND t.completed_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the offer was withdrawn' USING ERRCODE = 'check_violation', CONSTRAINT = 'rooftop_move_agreed';
  END IF;
  SELECT * INTO moving FROM rooftops r WHERE r.rooftop_id = offer.rooftop_id AND r.moved_at IS NULL FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the rooftop is not there any more' USING ERRCODE = 'check_violation', CONSTRAINT = 'rooftop_move_agreed';
  END IF;
  SELECT * INTO settled FROM rooftop_settings_versions s WHERE s.rooftop_id = moving.rooftop_id AND s.version = moving.settings_version;
  SELECT * INTO served FROM rooftop_inventory i WHERE i.rooftop_id = moving.rooftop_id;
  SELECT * INTO snapshot FROM snapshots s WHERE s.snapshot_id = served.snapshot_id;
  SELECT * INTO feed FROM feeds f WHERE f.feed_id = snapshot.feed_id;
  SELECT * INTO run FROM feed_runs r WHERE r.run_id = snapshot.run_id;
  SELECT * INTO file FROM feed_files f WHERE f.sha256 = run.sha256;
  overlays := ARRAY(SELECT o FROM unit_overlays o WHERE o.rooftop_id = moving.rooftop_id);
  UPDATE rooftops r SET moved_at = now(), moved_to = v_to, version = r.version + 1, updated_at = greatest(now(), r.updated_at + interval '1 millisecond')
    WHERE r.rooftop_id = moving.rooftop_id;
  DELETE FROM rooftop_inventory i WHERE i.rooftop_id = moving.rooftop_id;
  UPDATE snapshots s SET state = CASE s.state WHEN 'published' THEN 'superseded' ELSE 'discarded' END
    WHERE s.rooftop_id = moving.rooftop_id AND s.state IN ('published', 'held');
  UPDATE feeds f SET enabled = false, version = f.version + 1, updated_at = now()
    WHERE f.enabled AND f.rooftops ->> 'kind' = 'single' AND f.rooftops ->> 'rooftopId' = moving.rooftop_id;

  -- As the organization that gets it. A rooftop that comes back takes its own row again.
  PERFORM set_config('app.tenant', v_to, true);
  UPDATE rooftop_transfers t SET completed_at = now() WHERE t.move_id = p_move_id AND t.withdrawn_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the acceptance was withdrawn' USING ERRCODE = 'check_violation', CONSTRAINT = 'rooftop_move_agreed';
  END IF;
  IF EXISTS (SELECT FROM rooftops r WHERE r.rooftop_id = moving.rooftop_id AND r.moved_at IS NULL) THEN
    RAISE EXCEPTION 'the id is taken' USING ERRCODE = 'check_violation', CONSTRAINT = 'rooftop_move_id_free';
  END IF;
  settled.version := greatest(settled.version, coalesce((SELECT max(s.version) + 1 FROM rooftop_settings_versions s WHERE s.rooftop_id = moving.rooftop_id), 1));
  moving.organization_id := v_to;
  moving.settings_version := settled.version;
  moving.updated_at := greatest(now(), moving.updated_at + interval '1 millisecond');
  moving.version := greatest(moving.version + 1, coalesce((SELECT r.version + 1 FROM rooftops r WHERE r.rooftop_id = moving.rooftop_id), 1));
  INSERT INTO rooftops SELECT (moving).* ON CONFLICT (organization_id, rooftop_id) DO UPDATE SET
    name = excluded.name, legal_name = excluded.legal_name, website = excluded.website, address = excluded.address, timezone = excluded.timezone,
    currency = excluded.currency, departments = excluded.departments, contacts = excluded.contacts, hours = excluded.hours, languages = excluded.languages,
    settings = excluded.settings, settings_version = excluded.settings_version, id_seed = excluded.id_seed, version = excluded.version,
    updated_at = excluded.updated_at, moved_at = NULL, moved_to = NULL;
  INSERT INTO rooftop_settings_versions (organization_id, rooftop_id, version, settings, author, reason, created_at)
    VALUES (v_to, moving.rooftop_id, settled.version, settled.settings, 'forecourt', 'Continued from the organization that had the rooftop before', now());
  INSERT INTO inventory_versions AS v (organization_id, version) VALUES (v_to, 1) ON CONFLICT (organization_id) DO UPDATE SET version = v.version + 1;

  IF served.snapshot_id IS NOT NULL THEN
    -- What is served needs a feed, a run and a file behind it. The file itself stays: it may hold other rooftops' rows.
    INSERT INTO feeds (organization_id, feed_id, name, profile, rooftops, settings, enabled)
      VALUES (v_to, p_move_id, left('Moved with ' || moving.rooftop_id, 120), feed.profile,
              jsonb_build_object('kind', 'single', 'rooftopId', moving.rooftop_id), feed.settings, false);
    INSERT INTO feed_files (organization_id, sha256, bytes, storage_key, original_name, first_received_at)
      VALUES (v_to, file.sha256, file.bytes, file.storage_key, 'moved', file.first_received_at) ON CONFLICT DO NOTHING;
    INSERT INTO feed_runs (organization_id, run_id, feed_id, sha256, origin, state, attempt, received_at, started_at, finished_at, column_maps)
      VALUES (v_to, 'run.' || suffix, p_move_id, run.sha256, run.origin, 'published', run.attempt, run.received_at, run.started_at, run.finished_at, run.column_maps);
    -- No policy digest: vehicles are written again from their records, because the serialised ones name the other organization.
    INSERT INTO snapshots (organization_id, snapshot_id, rooftop_id, feed_id, run_id, attempt, state, unit_count, built_at, published_at)
      VALUES (v_to, 'snap.' || suffix, moving.rooftop_id, p_move_id, 'run.' || suffix, snapshot.attempt, 'published', snapshot.unit_count, snapshot.built_at, now());
    LOOP
      PERFORM set_config('app.tenant', v_from, true);
      batch := ARRAY(SELECT u FROM units u WHERE u.snapshot_id = served.snapshot_id AND u.vehicle_id > last_seen ORDER BY u.vehicle_id LIMIT 500);
      PERFORM set_config('app.tenant', v_to, true);
      EXIT WHEN cardinality(batch) = 0;
      last_seen := (batch[cardinality(batch)]).vehicle_id;
      v_units := v_units + cardinality(batch);
      INSERT INTO units SELECT m.* FROM unnest(batch) AS b,
        jsonb_populate_record(b, jsonb_build_object('organization_id', v_to, 'snapshot_id', 'snap.' || suffix, 'run_id', 'run.' || suffix)) AS m;
    END LOOP;
    INSERT INTO rooftop_inventory (organization_id, rooftop_id, snapshot_id, feed_id, received_at)
      VALUES (v_to, moving.rooftop_id, 'snap.' || suffix, p_move_id, served.received_at)
      ON CONFLICT (organization_id, rooftop_id) DO UPDATE SET snapshot_id = excluded.snapshot_id, feed_id = excluded.feed_id, received_at = excluded.received_at, switched_at = now();
    DELETE FROM unit_overlays o WHERE o.rooftop_id = moving.rooftop_id;
    INSERT INTO unit_overlays SELECT m.* FROM unnest(overlays) AS b, jsonb_populate_record(b, jsonb_build_object('organization_id', v_to)) AS m;
  END IF;

  PERFORM set_config('app.tenant', outer_tenant, true);
  PERFORM pg_notify(channel, organization) FROM unnest(ARRAY['forecourt_dealers', 'forecourt_inventory']) AS channel, unnest(ARRAY[v_from, v_to]) AS organization;
  RETURN QUERY SELECT moving.rooftop_id, v_from, v_to, v_units;
END
$$;

REVOKE EXECUTE ON FUNCTION only_forward(), find_api_key(text), list_organizations(text, integer), list_rooftop_moves(text, integer), move_rooftop(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(text), list_organizations(text, integer), list_rooftop_moves(text, integer), move_rooftop(text) TO forecourt_app;
