-- Holds that answer sooner, and a guard that many holds slow down less (docs/adr/0054-holds-at-a-hundred-thousand-records.md). Runs as
-- forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ guard
-- As before, and plain to the planner, which calls no function for each hold any more. The time is that of the client's statement,
-- so that a hold goes on binding what began before its cooling period ended.
CREATE OR REPLACE FUNCTION hold_binds(h legal_holds, p_approved_at timestamptz) RETURNS boolean LANGUAGE sql STABLE
  AS $$ SELECT h.released_at IS NULL OR h.free_from > statement_timestamp() OR p_approved_at <= h.released_at $$;

-- As before, and with one look at the holds and one meeting of all names: what a hold names first (ids, else subjects, else rooftops)
-- meets what rows are named by. A hold that names nothing, or rows that do not know theirs, meet one by one (`loose`); no hold is
-- looked at whose times are beside those of all rows. Whether one covers is said by hold_covers alone.
CREATE OR REPLACE FUNCTION covering_query(p_category text, p_by_id boolean, p_by_subject boolean, p_by_rooftop boolean, p_by_rest boolean)
  RETURNS text LANGUAGE sql IMMUTABLE SET search_path = forecourt, pg_temp AS $$
  SELECT format('WITH times AS MATERIALIZED (SELECT min(created) AS first, max(created) AS last, bool_or(created IS NULL) AS untimed, bool_or(subjects IS NULL) AS no_subjects,
          bool_or(rooftops IS NULL) AS no_rooftops FROM rows),
      holds AS MATERIALIZED (SELECT b.hold_id, coalesce(b.record_ids, b.subjects, b.rooftop_ids) AS names,
          b.record_ids IS NULL AND (b.subjects IS NULL OR t.no_subjects) AND (b.subjects IS NOT NULL OR b.rooftop_ids IS NULL OR t.no_rooftops) AS loose
        FROM legal_holds b CROSS JOIN times t WHERE b.organization_id = $2 AND hold_binds(b, $1) AND (b.categories IS NULL OR %1$L = ANY (b.categories))
          AND (t.untimed OR ((b.from_time IS NULL OR t.last >= b.from_time) AND (b.until_time IS NULL OR t.first < b.until_time))))
      SELECT h.hold_id FROM (SELECT n.hold_id, r.id, r.rooftops, r.subjects, r.created FROM holds n CROSS JOIN rows r WHERE n.loose%2$s) AS r
        JOIN legal_holds h ON h.organization_id = $2 AND h.hold_id = r.hold_id
      WHERE hold_covers(h, %1$L, r.id, r.rooftops, r.subjects, r.created)', p_category,
    ' UNION ALL SELECT n.hold_id, r.id, r.rooftops, r.subjects, r.created FROM (SELECT hold_id, unnest(names) AS name FROM holds OFFSET 0) AS n JOIN ('
      || nullif(concat_ws(' UNION ALL ', CASE WHEN p_by_id THEN 'SELECT *, id AS name FROM rows' END, CASE WHEN p_by_subject THEN 'SELECT *, unnest(subjects) FROM rows' END,
           CASE WHEN p_by_rooftop THEN 'SELECT *, unnest(rooftops) FROM rows' END), '') || ') AS r (id, rooftops, subjects, created, name) ON r.name = n.name') $$;

-- ------------------------------------------------------------------------------------------------ lists
-- The query ($1: tenant, $2: the hold) for what a hold covers in every governed table, unsorted; null where it covers no category.
CREATE FUNCTION hold_records_query(h legal_holds) RETURNS text LANGUAGE sql STABLE SET search_path = forecourt, pg_temp AS $$
  SELECT string_agg(format('SELECT %L || r.id AS record FROM (SELECT %s AS id, %s AS rooftops, %s AS subjects, %s AS created FROM %I r WHERE r.organization_id = $1 AND (%s) OFFSET 0) AS r
                            WHERE hold_covers($2, %L, r.id, r.rooftops, r.subjects, r.created)',
                           category || E'\n', record_id, rooftops, subjects, clocks ->> 'created', table_name, applies, category), ' UNION ALL ')
  FROM governed_tables WHERE h.categories IS NULL OR category = ANY (h.categories) $$;

CREATE OR REPLACE FUNCTION hold_records(p_hold text, p_most bigint DEFAULT NULL) RETURNS SETOF text
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = forecourt, pg_temp AS $$
DECLARE
  h     legal_holds;
  parts text;
BEGIN
  SELECT * INTO h FROM legal_holds WHERE organization_id = current_tenant() AND hold_id = p_hold;
  parts := CASE WHEN FOUND THEN hold_records_query(h) END;
  IF parts IS NOT NULL THEN
    RETURN QUERY EXECUTE parts || coalesce(' LIMIT ' || p_most, '') USING current_tenant(), h;
  END IF;
END
$$;

-- The leaves of the tree of a hold (RFC 9162 2.1.1), 32 bytes a record, in the order of the list.
CREATE FUNCTION hold_leaves(p_listed text[]) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT string_agg(sha256('\x00'::bytea || convert_to(l.record, 'UTF8')), ''::bytea ORDER BY l.n) FROM unnest(p_listed) WITH ORDINALITY AS l (record, n) $$;

-- Lists at once what a hold covers, the next p_pages pages of it at each call of a transaction. The first call says p_most and looks:
-- it is to be sent in a statement after the one that took the lock. `total` is how many records there are in all, p_most + 1 where
-- there are more; whoever finds too many takes the list back, and has it written by and by. The cursor is there so that whoever
-- makes the tree does so while the next pages are written; slices are cut in two steps, because cutting reads an array from its start.
CREATE FUNCTION next_hold_pages(p_hold text, p_pages integer, p_most bigint DEFAULT NULL) RETURNS TABLE (total bigint, records integer, leaves bytea)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = forecourt, pg_temp SET work_mem = '32MB' AS $$
DECLARE
  h     legal_holds;
  list  refcursor := 'hold_list';
  parts text;
  next  record;
BEGIN
  IF p_most IS NOT NULL THEN
    SELECT * INTO h FROM legal_holds WHERE organization_id = current_tenant() AND hold_id = p_hold;
    parts := CASE WHEN FOUND THEN hold_records_query(h) END;
    IF parts IS NULL THEN
      RETURN;
    END IF;
    OPEN list NO SCROLL FOR EXECUTE format(
      'SELECT b.total, b.first + n AS page, b.listed[n * 1024 + 1 : (n + 1) * 1024] AS listed
         FROM (SELECT cardinality(a.listed) AS total, m * 16 AS first, a.listed[m * 16384 + 1 : (m + 1) * 16384] AS listed
                 FROM (SELECT array_agg(r.record ORDER BY r.record COLLATE "C") AS listed FROM (%s LIMIT $3) AS r OFFSET 0) AS a
                   CROSS JOIN generate_series(0, (cardinality(a.listed) - 1) / 16384) AS m OFFSET 0) AS b
           CROSS JOIN generate_series(0, (cardinality(b.listed) - 1) / 1024) AS n', parts) USING current_tenant(), h, p_most + 1;
  END IF;
  FOR i IN 1 .. p_pages LOOP
    FETCH list INTO next;
    EXIT WHEN NOT FOUND;
    INSERT INTO legal_hold_pages (organization_id, hold_id, page, listed) VALUES (current_tenant(), p_hold, next.page, next.listed);
    total := next.total;
    records := cardinality(next.listed);
    leaves := hold_leaves(next.listed);
    RETURN NEXT;
  END LOOP;
END
$$;
DROP FUNCTION list_hold_records(text, bigint);

-- ------------------------------------------------------------------------------------------------ rights
REVOKE EXECUTE ON FUNCTION hold_records_query(legal_holds), hold_leaves(text[]), next_hold_pages(text, integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_leaves(text[]), next_hold_pages(text, integer, bigint) TO forecourt_app;
