-- Retention policies: drafted, approved by two, and in force as versions; the highest is the active one (docs/adr/0044-retention-policies.md).
-- Runs as forecourt_owner with search_path = forecourt.

CREATE TABLE retention_policy_versions (
  organization_id text NOT NULL REFERENCES organizations,
  version         integer NOT NULL CHECK (version >= 1),
  policy_id       text NOT NULL CHECK (policy_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  document        jsonb NOT NULL, -- rules, and what rooftops decide for themselves
  content_hash    text NOT NULL CHECK (content_hash ~ '^[a-f0-9]{64}$'), -- SHA-256 of the canonical document
  draft_id        text NOT NULL CHECK (length(draft_id) BETWEEN 1 AND 128),
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  approval_id     text NOT NULL CHECK (length(approval_id) BETWEEN 1 AND 128),
  approvers       text[] NOT NULL,
  activated_at    timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, version)
);

CREATE TABLE retention_policy_drafts (
  organization_id text NOT NULL REFERENCES organizations,
  draft_id        text NOT NULL CHECK (length(draft_id) BETWEEN 1 AND 128),
  revision        integer NOT NULL DEFAULT 1 CHECK (revision >= 1),
  base_version    integer NOT NULL CHECK (base_version >= 0), -- the version in force that it was written against; 0: none
  policy_id       text NOT NULL CHECK (policy_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  document        jsonb NOT NULL,
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 200),
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  activated_as    integer CHECK (activated_as >= 1),
  created_at      timestamptz(3) NOT NULL,
  updated_at      timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, draft_id)
);

SELECT isolate_tenant_table(t::regclass) FROM unnest(ARRAY['retention_policy_versions', 'retention_policy_drafts']) AS t;
GRANT SELECT, INSERT ON retention_policy_versions TO forecourt_app;
GRANT SELECT, INSERT, UPDATE ON retention_policy_drafts TO forecourt_app;
GRANT SELECT ON retention_policy_versions, retention_policy_drafts TO forecourt_retention;

-- A version is never changed by anybody, and goes by a run of retention alone.
CREATE FUNCTION retention_versions_are_final() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_user = 'forecourt_retention' THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'a version of a retention policy is final' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER retention_versions_are_final BEFORE UPDATE OR DELETE ON retention_policy_versions FOR EACH ROW EXECUTE FUNCTION retention_versions_are_final();
ALTER TABLE retention_policy_versions ENABLE ALWAYS TRIGGER retention_versions_are_final;

-- Their own category, like versions of dealer policies. The version in force is never over.
SELECT govern_table('retention_policy_versions', 'policy_version', $$'retention@' || r.version$$, $$'{}'::text[]$$, 'r.approvers || r.author',
  jsonb_build_object('created', 'r.activated_at',
    'closed', '(SELECT min(v.activated_at) FROM retention_policy_versions v WHERE v.organization_id = r.organization_id AND v.version > r.version)'),
  p_disposable => 'EXISTS (SELECT FROM retention_policy_versions v WHERE v.organization_id = r.organization_id AND v.version > r.version)');
SELECT govern_table('retention_policy_drafts', 'policy_version', 'r.draft_id', $$'{}'::text[]$$, 'ARRAY[r.author]',
  '{"created": "r.created_at", "closed": "CASE WHEN r.activated_as IS NOT NULL THEN r.updated_at END"}', p_disposable => 'r.activated_as IS NOT NULL');

-- Where the rooftops of the tenant are, those that moved away too: what they left behind stays.
CREATE FUNCTION rooftop_places() RETURNS TABLE (rooftop_id text, country text, region text) LANGUAGE sql STABLE
  AS $$ SELECT r.rooftop_id, r.address ->> 'country', r.address ->> 'region' FROM forecourt.rooftops r
        WHERE r.organization_id = forecourt.current_tenant() ORDER BY 1 $$;

-- One record of the tenant as the decision reads it, with the holds that keep it; times in milliseconds. It runs as the owner,
-- who reads every governed table; look-ups before the tenant is known let the owner see more, so the tenant is asked for here.
-- Hold times are widened to whole milliseconds: explained as held is whatever the guard would refuse.
CREATE FUNCTION retained_records(p_category text, p_record text)
  RETURNS TABLE (table_name name, rooftops text[], subjects text[], clocks jsonb, is_record boolean, disposable boolean, holds jsonb)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  g        governed_tables;
  readings text;
BEGIN
  FOR g IN SELECT * FROM governed_tables t WHERE t.category = p_category ORDER BY t.ordinal, t.table_name LOOP
    SELECT string_agg(format('%L, floor(extract(epoch FROM (%s)) * 1000)::bigint', key, value), ', ' ORDER BY key) INTO readings FROM jsonb_each_text(g.clocks);
    RETURN QUERY EXECUTE format(
      'SELECT %L::name, (%s), (%s), jsonb_build_object(%s), coalesce((%s), false), coalesce((%s), false),
         (SELECT coalesce(jsonb_agg(jsonb_build_object(''holdId'', h.hold_id, ''counting'', h.covered IS NULL, ''categories'', h.categories,
                   ''recordIds'', h.record_ids, ''rooftopIds'', h.rooftop_ids, ''subjects'', h.subjects,
                   ''from'', floor(extract(epoch FROM h.from_time) * 1000)::bigint, ''until'', ceil(extract(epoch FROM h.until_time) * 1000)::bigint,
                   ''releasedAt'', floor(extract(epoch FROM h.released_at) * 1000)::bigint, ''freeFrom'', ceil(extract(epoch FROM h.free_from) * 1000)::bigint)
                   ORDER BY h.hold_id), ''[]'')
          FROM legal_holds h WHERE h.organization_id = r.organization_id AND hold_binds(h, NULL)
            AND (h.covered IS NULL OR hold_covers(h, %L, %s, %s, %s, %s)))
       FROM %I r WHERE r.organization_id = current_tenant() AND (%s) = $1',
      g.table_name, g.rooftops, g.subjects, readings, g.applies, g.disposable,
      g.category, g.record_id, g.rooftops, g.subjects, g.clocks ->> 'created', g.table_name, g.record_id) USING p_record;
  END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION retention_versions_are_final(), rooftop_places(), retained_records(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rooftop_places() TO forecourt_app, forecourt_retention;
GRANT EXECUTE ON FUNCTION retained_records(text, text) TO forecourt_app;
