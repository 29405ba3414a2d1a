-- What a hold covered when it was counted, what it covers now, and the notices to those who must know of it
-- (docs/adr/0043-holds-and-the-guard.md). Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ evidence
-- The records that a hold covered when it was counted: category, line feed, record id; in the order of their bytes over all pages.
CREATE TABLE legal_hold_pages (
  organization_id text NOT NULL,
  hold_id         text NOT NULL,
  page            integer NOT NULL CHECK (page >= 0),
  listed          text[] NOT NULL CHECK (cardinality(listed) BETWEEN 1 AND 1024),
  PRIMARY KEY (organization_id, hold_id, page),
  FOREIGN KEY (organization_id, hold_id) REFERENCES legal_holds
);
ALTER TABLE legal_hold_pages ALTER COLUMN listed SET STORAGE EXTERNAL; -- compressing them would double the time that a hold takes
SELECT isolate_tenant_table('legal_hold_pages');

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation', TABLE = TG_TABLE_NAME;
END
$$;
CREATE TRIGGER legal_hold_pages_are_final BEFORE UPDATE OR DELETE ON legal_hold_pages FOR EACH ROW EXECUTE FUNCTION refuse_change();
ALTER TABLE legal_hold_pages ENABLE ALWAYS TRIGGER legal_hold_pages_are_final;

-- What a hold covers now, over every governed table, unsorted. With the owner's rights, inside the tenant of the transaction.
CREATE FUNCTION hold_records(p_hold text, p_most bigint DEFAULT NULL) RETURNS SETOF text
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  h     legal_holds;
  parts text;
BEGIN
  SELECT * INTO h FROM legal_holds WHERE organization_id = current_tenant() AND hold_id = p_hold;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT string_agg(format('SELECT %L || r.id FROM (SELECT %s AS id, %s AS rooftops, %s AS subjects, %s AS created FROM %I r WHERE r.organization_id = $1 AND (%s) OFFSET 0) AS r
                            WHERE hold_covers($2, %L, r.id, r.rooftops, r.subjects, r.created)',
                           category || E'\n', record_id, rooftops, subjects, clocks ->> 'created', table_name, applies, category), ' UNION ALL ')
    INTO parts FROM governed_tables WHERE h.categories IS NULL OR category = ANY (h.categories);
  IF parts IS NOT NULL THEN
    RETURN QUERY EXECUTE parts || coalesce(' LIMIT ' || p_most, '') USING current_tenant(), h;
  END IF;
END
$$;

-- Lists at once what a hold covers, p_most + 1 records of it where there are more. To be called in a statement after the one that
-- took the lock; whoever finds too many takes the list back, and has it written by and by.
CREATE FUNCTION list_hold_records(p_hold text, p_most bigint) RETURNS TABLE (page integer, listed json)
  LANGUAGE sql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
  WITH added AS (
    INSERT INTO legal_hold_pages (organization_id, hold_id, page, listed)
    SELECT current_tenant(), p_hold, i / 1024, array_agg(record ORDER BY i)
      FROM (SELECT record, row_number() OVER (ORDER BY record COLLATE "C") - 1 AS i FROM hold_records(p_hold, p_most + 1) AS record) AS sorted
      GROUP BY i / 1024
    RETURNING legal_hold_pages.page, legal_hold_pages.listed
  )
  SELECT a.page, to_json(a.listed) FROM added a ORDER BY a.page
$$;

-- Adds a page to the list; false where it is not the next one, because somebody else lists too or the hold is counted.
CREATE FUNCTION add_hold_page(p_hold text, p_page integer, p_listed text[]) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  PERFORM FROM legal_holds h WHERE h.organization_id = current_tenant() AND h.hold_id = p_hold AND h.covered IS NULL FOR UPDATE;
  IF NOT FOUND OR p_page <> (SELECT coalesce(max(p.page) + 1, 0) FROM legal_hold_pages p WHERE p.organization_id = current_tenant() AND p.hold_id = p_hold) THEN
    RETURN false;
  END IF;
  INSERT INTO legal_hold_pages (organization_id, hold_id, page, listed) VALUES (current_tenant(), p_hold, p_page, p_listed);
  RETURN true;
END
$$;

-- Ends the counting of a hold: deletions of what it does not cover begin again. False where it was counted before, or the list is
-- not what the root was made of.
CREATE FUNCTION finish_hold_count(p_hold text, p_covered bigint, p_root bytea) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
BEGIN
  PERFORM FROM legal_holds h WHERE h.organization_id = current_tenant() AND h.hold_id = p_hold AND h.covered IS NULL FOR UPDATE;
  IF NOT FOUND OR p_covered <> (SELECT coalesce(sum(cardinality(p.listed)), 0) FROM legal_hold_pages p
                                WHERE p.organization_id = current_tenant() AND p.hold_id = p_hold) THEN
    RETURN false;
  END IF;
  UPDATE legal_holds h SET covered = p_covered, root = p_root, counted_at = clock_timestamp() WHERE h.organization_id = current_tenant() AND h.hold_id = p_hold;
  RETURN true;
END
$$;

-- What a hold covers now against what it covered then. `missing`: listed records that are not covered any more; none while it
-- binds, or the promise is broken.
CREATE FUNCTION hold_coverage_now(p_hold text) RETURNS TABLE (covered_now bigint, missing bigint)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
  WITH present AS MATERIALIZED (SELECT hold_records(p_hold) AS record),
       listed AS (SELECT unnest(p.listed) AS record FROM legal_hold_pages p WHERE p.organization_id = current_tenant() AND p.hold_id = p_hold)
  SELECT (SELECT count(*) FROM present), (SELECT count(*) FROM listed l WHERE NOT EXISTS (SELECT FROM present p WHERE p.record = l.record))
$$;

-- The holds that bind and cover a record that is there.
CREATE FUNCTION holds_on_record(p_category text, p_record text) RETURNS SETOF legal_holds
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  parts text;
BEGIN
  SELECT string_agg(format('SELECT h FROM %I r JOIN legal_holds h ON h.organization_id = r.organization_id
                            WHERE r.organization_id = $1 AND (%s) = $2 AND (%s) AND hold_binds(h, NULL) AND hold_covers(h, %L, %s, %s, %s, %s)',
                           table_name, record_id, applies, category, record_id, rooftops, subjects, clocks ->> 'created'), ' UNION ALL ')
    INTO parts FROM governed_tables WHERE category = p_category;
  IF parts IS NOT NULL THEN
    RETURN QUERY EXECUTE 'SELECT (h).* FROM (' || parts || ') AS found ORDER BY (h).hold_id' USING current_tenant(), p_record;
  END IF;
END
$$;

-- ------------------------------------------------------------------------------------------------ notices
-- Tells a person that they must keep something, until they say that they have read it.
CREATE TABLE hold_notices (
  organization_id text NOT NULL,
  notice_id       text NOT NULL CHECK (notice_id ~ '^[a-z0-9][a-z0-9._-]{0,127}$'),
  hold_id         text NOT NULL,
  person_id       text NOT NULL CHECK (length(person_id) BETWEEN 1 AND 128),
  message         text NOT NULL CHECK (length(message) BETWEEN 1 AND 4000),
  escalate_to     text CHECK (length(escalate_to) BETWEEN 1 AND 128),
  about_notice    text, -- of an escalation: the notice that was not acknowledged
  sent_by         text NOT NULL CHECK (length(sent_by) BETWEEN 1 AND 200),
  sent_at         timestamptz(6) NOT NULL,
  due_at          timestamptz(6), -- when the next reminder is due; null: none
  reminders       integer NOT NULL DEFAULT 0 CHECK (reminders >= 0),
  reminded_at     timestamptz(6),
  escalated_at    timestamptz(6),
  acknowledged_at timestamptz(6),
  PRIMARY KEY (organization_id, notice_id),
  FOREIGN KEY (organization_id, hold_id) REFERENCES legal_holds,
  FOREIGN KEY (organization_id, about_notice) REFERENCES hold_notices,
  CHECK (acknowledged_at IS NULL OR due_at IS NULL)
);
CREATE INDEX hold_notices_of_person ON hold_notices (organization_id, person_id, notice_id);
CREATE INDEX hold_notices_of_hold ON hold_notices (organization_id, hold_id, notice_id);
CREATE INDEX hold_notices_due ON hold_notices (due_at) WHERE due_at IS NOT NULL;
SELECT isolate_tenant_table('hold_notices');

-- What a notice said, to whom and when, stays; so does an acknowledgement.
CREATE FUNCTION only_notice_progress() RETURNS trigger LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  progress text[] := ARRAY['due_at', 'reminders', 'reminded_at', 'escalated_at', 'acknowledged_at'];
BEGIN
  IF TG_OP = 'DELETE' OR to_jsonb(NEW) - progress <> to_jsonb(OLD) - progress
     OR (OLD.acknowledged_at IS NOT NULL AND NEW.acknowledged_at IS DISTINCT FROM OLD.acknowledged_at) THEN
    RAISE EXCEPTION 'a notice is never changed, only reminded of and acknowledged' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER only_notice_progress BEFORE UPDATE OR DELETE ON hold_notices FOR EACH ROW EXECUTE FUNCTION only_notice_progress();
ALTER TABLE hold_notices ENABLE ALWAYS TRIGGER only_notice_progress;

-- ------------------------------------------------------------------------------------------------ work that is due
CREATE POLICY owner_lookup ON hold_notices FOR SELECT TO forecourt_owner USING (true);
CREATE FUNCTION due_hold_notices(p_now timestamptz, p_most integer) RETURNS TABLE (organization_id text, notice_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
  SELECT n.organization_id, n.notice_id FROM hold_notices n WHERE n.due_at <= p_now ORDER BY n.due_at LIMIT p_most
$$;

-- Runs as forecourt_retention, which sees the holds of every organization.
CREATE INDEX legal_holds_uncounted ON legal_holds (placed_at) WHERE covered IS NULL;
CREATE FUNCTION uncounted_holds(p_most integer) RETURNS TABLE (organization_id text, hold_id text)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
  SELECT h.organization_id, h.hold_id FROM legal_holds h WHERE h.covered IS NULL ORDER BY h.placed_at LIMIT p_most
$$;

-- ------------------------------------------------------------------------------------------------ rights
GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION uncounted_holds(integer) OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;
REVOKE UPDATE (covered, root, counted_at) ON legal_holds FROM forecourt_app;
GRANT SELECT ON legal_hold_pages TO forecourt_app;
GRANT SELECT, INSERT (organization_id, notice_id, hold_id, person_id, message, escalate_to, about_notice, sent_by, sent_at, due_at),
  UPDATE (due_at, reminders, reminded_at, escalated_at, acknowledged_at) ON hold_notices TO forecourt_app;
REVOKE EXECUTE ON FUNCTION refuse_change(), hold_records(text, bigint), list_hold_records(text, bigint),
  add_hold_page(text, integer, text[]), finish_hold_count(text, bigint, bytea), hold_coverage_now(text), holds_on_record(text, text), only_notice_progress(),
  due_hold_notices(timestamptz, integer), uncounted_holds(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_records(text, bigint), list_hold_records(text, bigint), add_hold_page(text, integer, text[]), finish_hold_count(text, bigint, bytea),
  hold_coverage_now(text), holds_on_record(text, text), due_hold_notices(timestamptz, integer), uncounted_holds(integer) TO forecourt_app;
