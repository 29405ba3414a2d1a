-- Legal holds, and the guard that no deletion passes (docs/adr/0043-holds-and-the-guard.md). Runs as forecourt_owner with
-- search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ holds
-- What a matter keeps: the records that every dimension covers which is not null. Null is any.
CREATE TABLE legal_holds (
  organization_id text NOT NULL,
  hold_id         text NOT NULL CHECK (hold_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  matter          text NOT NULL CHECK (length(matter) BETWEEN 1 AND 200),
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  rooftop_ids     text[] CHECK (cardinality(rooftop_ids) BETWEEN 1 AND 1000),
  categories      text[] CHECK (cardinality(categories) BETWEEN 1 AND 100),
  subjects        text[] CHECK (cardinality(subjects) BETWEEN 1 AND 1000),
  record_ids      text[] CHECK (cardinality(record_ids) BETWEEN 1 AND 10000),
  from_time       timestamptz(6), -- of the record's creation: from_time <= created < until_time
  until_time      timestamptz(6),
  placed_by       text NOT NULL CHECK (length(placed_by) BETWEEN 1 AND 200),
  placed_at       timestamptz(6) NOT NULL DEFAULT clock_timestamp(), -- after the lock: nothing covered goes after this moment
  covered         bigint CHECK (covered >= 0), -- null while it is counted; no deletion of the organization begins meanwhile
  root            bytea CHECK (length(root) = 32), -- of the covered records' ids
  counted_at      timestamptz(6),
  released_at     timestamptz(6),
  released_by     text CHECK (length(released_by) BETWEEN 1 AND 200),
  release_reason  text CHECK (length(release_reason) BETWEEN 1 AND 500),
  free_from       timestamptz(6), -- end of the cooling period after the release
  PRIMARY KEY (organization_id, hold_id),
  CHECK ((covered IS NULL) = (root IS NULL) AND (covered IS NULL) = (counted_at IS NULL)),
  CHECK ((released_at IS NULL) = (free_from IS NULL) AND (released_at IS NULL) = (released_by IS NULL) AND (released_at IS NULL) = (release_reason IS NULL)),
  CHECK (free_from >= released_at),
  CHECK (until_time > from_time)
);
SELECT isolate_tenant_table('legal_holds');

-- A hold is counted once and released once, and is never anything else.
CREATE FUNCTION only_counting_and_release() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  counting  text[] := ARRAY['covered', 'root', 'counted_at'];
  releasing text[] := ARRAY['released_at', 'released_by', 'release_reason', 'free_from'];
BEGIN
  IF TG_OP = 'DELETE' OR to_jsonb(NEW) - counting - releasing <> to_jsonb(OLD) - counting - releasing
     OR (OLD.covered IS NOT NULL AND (NEW.covered, NEW.root, NEW.counted_at) IS DISTINCT FROM (OLD.covered, OLD.root, OLD.counted_at))
     OR (OLD.released_at IS NOT NULL AND (NEW.released_at, NEW.released_by, NEW.release_reason, NEW.free_from)
         IS DISTINCT FROM (OLD.released_at, OLD.released_by, OLD.release_reason, OLD.free_from)) THEN
    RAISE EXCEPTION 'a hold is never changed, only counted and released' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_counting_and_release BEFORE UPDATE OR DELETE ON legal_holds FOR EACH ROW EXECUTE FUNCTION only_counting_and_release();
ALTER TABLE legal_holds ENABLE ALWAYS TRIGGER only_counting_and_release;

-- ------------------------------------------------------------------------------------------------ lock
-- Deletions of an organization go on side by side; a hold waits for those under way and lets no other begin until it has
-- committed. Advisory, because these locks are queued: a row lock lets new deletions pass a hold that waits.
CREATE FUNCTION hold_lock_key(p_organization text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT hashtextextended('forecourt.hold:' || p_organization, 0) $$;
CREATE FUNCTION lock_out_deletions(p_organization text) RETURNS void LANGUAGE sql
  AS $$ SELECT pg_advisory_xact_lock(forecourt.hold_lock_key(p_organization)) $$;
CREATE FUNCTION join_deletions(p_organization text) RETURNS void LANGUAGE sql
  AS $$ SELECT pg_advisory_xact_lock_shared(forecourt.hold_lock_key(p_organization)) $$;

-- ------------------------------------------------------------------------------------------------ coverage
-- Whether a hold still binds. A run that was approved before the release does not profit from it, and nothing does during the
-- cooling period. p_approved_at: of the run that deletes; null outside runs.
CREATE FUNCTION hold_binds(h legal_holds, p_approved_at timestamptz) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT h.released_at IS NULL OR h.free_from > clock_timestamp() OR p_approved_at <= h.released_at $$;

-- The one definition of coverage, for preview, run, guard and report. Unknown is covered: a record whose rooftops, subjects or
-- creation are not known (null) passes no hold that names some; an empty list says that it has none.
CREATE FUNCTION hold_covers(h legal_holds, p_category text, p_record text, p_rooftops text[], p_subjects text[], p_created timestamptz)
  RETURNS boolean LANGUAGE sql IMMUTABLE
  AS $$ SELECT (h.categories IS NULL OR p_category = ANY (h.categories))
           AND (h.record_ids IS NULL OR p_record = ANY (h.record_ids))
           AND (h.rooftop_ids IS NULL OR p_rooftops IS NULL OR h.rooftop_ids && p_rooftops)
           AND (h.subjects IS NULL OR p_subjects IS NULL OR h.subjects && p_subjects)
           AND (h.from_time IS NULL OR p_created IS NULL OR p_created >= h.from_time)
           AND (h.until_time IS NULL OR p_created IS NULL OR p_created < h.until_time) $$;

-- ------------------------------------------------------------------------------------------------ governed tables
-- Every table whose rows a retention policy disposes of, and how a row (alias r) is read: SQL expressions, written by
-- migrations only.
CREATE TABLE governed_tables (
  table_name name PRIMARY KEY,
  category   text NOT NULL,
  record_id  text NOT NULL, -- text, unique within category and organization
  rooftops   text NOT NULL, -- text[]; null: not known
  subjects   text NOT NULL, -- text[]; null: not known
  clocks     jsonb NOT NULL CHECK (clocks ? 'created'), -- clock basis -> timestamptz expression
  applies    text NOT NULL, -- boolean: the row is a record, not working data of something unfinished
  disposable text NOT NULL, -- boolean: nothing in use needs the row
  ordinal    integer NOT NULL -- within a run, lower ones go first
);

-- A statement that removes rows is refused when a hold covers one of them, whoever sends it. It runs as forecourt_retention,
-- which sees the holds of every organization.
CREATE FUNCTION guard_holds() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  g        governed_tables;
  tenants  text[];
  tenant   text;
  approved timestamptz := nullif(current_setting('app.retention_approved_at', true), '')::timestamptz;
  refused  record;
BEGIN
  SELECT * INTO STRICT g FROM governed_tables WHERE table_name = TG_TABLE_NAME;
  EXECUTE format('SELECT array_agg(DISTINCT r.organization_id ORDER BY r.organization_id) FROM gone r WHERE %s', g.applies) INTO tenants;
  IF tenants IS NULL THEN
    RETURN NULL;
  END IF;
  -- Under any other level the look below could use a snapshot from before the lock.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'records are removed in READ COMMITTED transactions only' USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME;
  END IF;
  FOREACH tenant IN ARRAY tenants LOOP
    PERFORM join_deletions(tenant);
  END LOOP;
  EXECUTE format('SELECT h.hold_id, h.covered IS NULL AS counting FROM gone r JOIN legal_holds h ON h.organization_id = r.organization_id
                  WHERE hold_binds(h, $1) AND (%s) AND (h.covered IS NULL OR hold_covers(h, %L, %s, %s, %s, %s)) LIMIT 1',
                 g.applies, g.category, g.record_id, g.rooftops, g.subjects, g.clocks ->> 'created') INTO refused USING approved;
  IF refused.hold_id IS NOT NULL THEN
    RAISE EXCEPTION 'hold % %', refused.hold_id, CASE WHEN refused.counting THEN 'is being counted' ELSE 'covers a record of ' || TG_TABLE_NAME END
      USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME, CONSTRAINT = 'legal_hold', DETAIL = refused.hold_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION refuse_truncation() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'records are never truncated (%)', TG_TABLE_NAME USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME;
END
$$;

-- Puts a table under the guard. p_updates: an UPDATE takes something away from its rows, too.
CREATE FUNCTION govern_table(target regclass, p_category text, p_record_id text, p_rooftops text, p_subjects text, p_clocks jsonb,
                             p_applies text DEFAULT 'true', p_disposable text DEFAULT 'true', p_ordinal integer DEFAULT 0, p_updates boolean DEFAULT false)
  RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO governed_tables (table_name, category, record_id, rooftops, subjects, clocks, applies, disposable, ordinal)
    SELECT relname, p_category, p_record_id, p_rooftops, p_subjects, p_clocks, p_applies, p_disposable, p_ordinal FROM pg_class WHERE oid = target;
  EXECUTE format('CREATE TRIGGER guard_holds AFTER DELETE ON %s REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION guard_holds()', target);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER guard_holds', target);
  IF p_updates THEN
    EXECUTE format('CREATE TRIGGER guard_holds_on_update AFTER UPDATE ON %s REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION guard_holds()', target);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER guard_holds_on_update', target);
  END IF;
  EXECUTE format('CREATE TRIGGER refuse_truncation BEFORE TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncation()', target);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER refuse_truncation', target);
END
$$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT SELECT ON legal_holds, governed_tables TO forecourt_retention;
CREATE POLICY guarding ON legal_holds FOR SELECT TO forecourt_retention USING (true);
GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION guard_holds() OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;

GRANT SELECT ON governed_tables TO forecourt_app;
GRANT SELECT, INSERT (organization_id, hold_id, matter, reason, rooftop_ids, categories, subjects, record_ids, from_time, until_time, placed_by,
  covered, root, counted_at), UPDATE (covered, root, counted_at, released_at, released_by, release_reason, free_from) ON legal_holds TO forecourt_app;
REVOKE EXECUTE ON FUNCTION only_counting_and_release(), hold_lock_key(text), lock_out_deletions(text), join_deletions(text),
  hold_binds(legal_holds, timestamptz), hold_covers(legal_holds, text, text, text[], text[], timestamptz), guard_holds(), refuse_truncation(),
  govern_table(regclass, text, text, text, text, jsonb, text, text, integer, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_lock_key(text), lock_out_deletions(text), join_deletions(text), hold_binds(legal_holds, timestamptz),
  hold_covers(legal_holds, text, text, text[], text[], timestamptz) TO forecourt_app, forecourt_retention;
