-- What processes know by heart of who may come in (docs/adr/0037-last-known-good.md): every change raises a version and is
-- announced, revocations are announced on a channel of their own, and how far local audit spools have been drained.
-- Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ versions
CREATE TABLE access_versions (
  organization_id text PRIMARY KEY,
  version         bigint NOT NULL DEFAULT 1,
  changed_at      timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  changed_by      xid8 NOT NULL DEFAULT '0'
);

-- One step a transaction, however many rows it changes.
CREATE FUNCTION raise_access_version(p_organization text) RETURNS void LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
BEGIN
  PERFORM set_config('app.tenant', p_organization, true);
  INSERT INTO access_versions AS v (organization_id, changed_by) VALUES (p_organization, pg_current_xact_id())
  ON CONFLICT (organization_id) DO UPDATE
    SET version = v.version + 1, changed_at = clock_timestamp(), changed_by = excluded.changed_by
    WHERE v.changed_by <> excluded.changed_by;
  IF FOUND THEN PERFORM pg_notify('forecourt_access', p_organization); END IF;
  PERFORM set_config('app.tenant', outer_tenant, true);
END
$$;

-- The arguments are columns that do not count, such as the time of last use.
CREATE FUNCTION publish_access_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - TG_ARGV = to_jsonb(OLD) - TG_ARGV THEN RETURN NULL; END IF;
  IF TG_OP <> 'INSERT' THEN PERFORM raise_access_version(OLD.organization_id); END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.organization_id <> OLD.organization_id) THEN
    PERFORM raise_access_version(NEW.organization_id);
  END IF;
  RETURN NULL;
END
$$;

-- For every table that a section of the access snapshot is read from. Deferred: the lock on the version is the last one that a
-- transaction takes, so that two changes of an organization never wait for each other in a circle.
CREATE FUNCTION track_access_table(target regclass, VARIADIC not_counted text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE CONSTRAINT TRIGGER publish_access_change AFTER INSERT OR UPDATE OR DELETE ON %s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION publish_access_change(%s)',
    target, (SELECT coalesce(string_agg(quote_literal(c), ', '), '') FROM unnest(not_counted) AS c));
END
$$;

-- ------------------------------------------------------------------------------------------------ revocations
-- Apart from the snapshot, and faster: what has ended is refused at once, also where no snapshot can be built. A row whose
-- revoked_at is null was taken back.
CREATE TABLE revocations (
  organization_id text NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('key', 'grant', 'delegation', 'agent_client', 'person')),
  id              text NOT NULL,
  revoked_at      timestamptz(6),
  noted_at        timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  xid             xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (organization_id, kind, id)
);
CREATE INDEX revocations_by_xid ON revocations (xid);
CREATE INDEX revocations_by_time ON revocations (noted_at);

-- The arguments: kind, column of the id, column of the end.
CREATE FUNCTION note_revocation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  ended_before timestamptz := CASE TG_OP WHEN 'INSERT' THEN NULL ELSE (to_jsonb(OLD) ->> TG_ARGV[2])::timestamptz END;
  ended        timestamptz := (to_jsonb(NEW) ->> TG_ARGV[2])::timestamptz;
  entry        text := to_jsonb(NEW) ->> TG_ARGV[1];
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
BEGIN
  IF ended IS NOT DISTINCT FROM ended_before THEN RETURN NULL; END IF;
  PERFORM set_config('app.tenant', NEW.organization_id, true);
  INSERT INTO revocations (organization_id, kind, id, revoked_at) VALUES (NEW.organization_id, TG_ARGV[0], entry, ended)
  ON CONFLICT (organization_id, kind, id) DO UPDATE
    SET revoked_at = excluded.revoked_at, noted_at = excluded.noted_at, xid = excluded.xid;
  PERFORM pg_notify('forecourt_revocations', json_build_object('organizationId', NEW.organization_id, 'kind', TG_ARGV[0],
    'id', entry, 'revokedAt', (extract(epoch FROM ended) * 1000)::bigint)::text);
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN NULL;
END
$$;

CREATE FUNCTION track_revocations(target regclass, kind text, id_column text, end_column text DEFAULT 'revoked_at') RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TRIGGER note_revocation AFTER INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION note_revocation(%L, %L, %L)',
    target, kind, id_column, end_column);
END
$$;

-- ------------------------------------------------------------------------------------------------ audit spools
-- How far the spool file of a process has been appended to the trail, in bytes. Moved on in the transaction that appends.
CREATE TABLE audit_spools (
  spool_id   text PRIMARY KEY CHECK (length(spool_id) BETWEEN 1 AND 128),
  position   bigint NOT NULL DEFAULT 0 CHECK (position >= 0),
  updated_at timestamptz(6) NOT NULL DEFAULT now()
);

-- ------------------------------------------------------------------------------------------------ isolation and rights
SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['access_versions', 'revocations']) AS t;
CREATE POLICY owner_lookup ON access_versions FOR SELECT TO forecourt_owner USING (true);
CREATE POLICY owner_lookup ON revocations FOR SELECT TO forecourt_owner USING (true);

-- Versions of these organizations; those that have none are left out.
CREATE FUNCTION access_versions_of(p_organizations text[]) RETURNS TABLE (organization_id text, version bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT v.organization_id, v.version FROM access_versions v WHERE v.organization_id = ANY (p_organizations) $$;

-- Revocations of all organizations: those of transactions that had not ended at the horizon of an earlier call, or, without
-- one, the ones that were noted since a moment. A horizon, because what commits late would be missed by any number.
CREATE FUNCTION revocations_since(p_horizon xid8, p_noted timestamptz)
  RETURNS TABLE (horizon xid8, organization_id text, kind text, id text, revoked_at timestamptz)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ SELECT pg_snapshot_xmin(pg_current_snapshot()), r.organization_id, r.kind, r.id, r.revoked_at
        FROM (SELECT) AS always
        LEFT JOIN revocations r ON (p_horizon IS NULL AND r.noted_at >= p_noted) OR r.xid >= p_horizon $$;

REVOKE EXECUTE ON FUNCTION raise_access_version(text), publish_access_change(), track_access_table(regclass, text[]), note_revocation(),
  track_revocations(regclass, text, text, text), access_versions_of(text[]), revocations_since(xid8, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION access_versions_of(text[]), revocations_since(xid8, timestamptz) TO forecourt_app;
GRANT SELECT ON access_versions, revocations TO forecourt_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_spools TO forecourt_app;

SELECT track_access_table('organizations'), track_access_table('rooftops'), track_access_table('api_keys', 'last_used_at'),
  track_access_table('grants'), track_access_table('group_delegations');
SELECT track_revocations('api_keys', 'key', 'key_id'), track_revocations('grants', 'grant', 'grant_id'),
  track_revocations('group_delegations', 'delegation', 'delegation_id');

-- Groups from before start at version 1.
DO $$
DECLARE
  group_id text;
BEGIN
  FOR group_id IN SELECT organization_id FROM organizations LOOP
    PERFORM raise_access_version(group_id);
  END LOOP;
  PERFORM set_config('app.tenant', '', true);
END
$$;
