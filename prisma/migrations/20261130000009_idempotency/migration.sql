-- Replies kept under their idempotency keys, and what an audited change made of what (decision record 0035).

-- One row for each keyed write that took effect, written in the transaction of its effect. The key itself is not kept, only
-- its hash: clients put all kinds of things into keys.
CREATE TABLE idempotency_keys (
  organization_id text NOT NULL,
  owner           text NOT NULL CHECK (length(owner) BETWEEN 1 AND 200),
  operation       text NOT NULL CHECK (length(operation) BETWEEN 1 AND 100),
  key_hash        bytea NOT NULL CHECK (length(key_hash) = 32),
  fingerprint     bytea NOT NULL CHECK (length(fingerprint) = 32),
  request_id      text NOT NULL,
  reply           jsonb NOT NULL,
  created_at      timestamptz(6) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, owner, operation, key_hash)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

SELECT isolate_tenant_table('idempotency_keys'::regclass);
-- Neither changed nor deleted by the application: a key that was used stays used until the sweep takes it.
GRANT SELECT, INSERT (organization_id, owner, operation, key_hash, fingerprint, request_id, reply) ON idempotency_keys TO forecourt_app;

-- Deletes the oldest keys of all organizations, a bounded number at a time. It runs as forecourt_retention, which sees none
-- younger than a day (hub contract: kept 24 hours at least), whatever it is asked.
CREATE POLICY sweeping ON idempotency_keys TO forecourt_retention USING (created_at < now() - interval '24 hours');
GRANT SELECT, DELETE ON idempotency_keys TO forecourt_retention;
CREATE FUNCTION sweep_idempotency_keys(p_kept interval, p_limit integer) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path = forecourt, pg_temp
  AS $$ WITH swept AS (
          DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
            SELECT k.ctid FROM idempotency_keys k WHERE k.created_at < now() - p_kept ORDER BY k.created_at LIMIT least(p_limit, 10000)))
          RETURNING 1)
        SELECT count(*)::integer FROM swept $$;
GRANT CREATE ON SCHEMA forecourt TO forecourt_retention;
ALTER FUNCTION sweep_idempotency_keys(interval, integer) OWNER TO forecourt_retention;
REVOKE CREATE ON SCHEMA forecourt FROM forecourt_retention;
REVOKE EXECUTE ON FUNCTION sweep_idempotency_keys(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sweep_idempotency_keys(interval, integer) TO forecourt_app;

-- SHA-256 (hex) of what a change found and of what it left; null where there was or is nothing. Part of the canonical form
-- from its version a2 on. Nothing is written into records that exist.
ALTER TABLE audit_events
  ADD COLUMN before_hash text CHECK (before_hash ~ '^[0-9a-f]{64}$'),
  ADD COLUMN after_hash  text CHECK (after_hash ~ '^[0-9a-f]{64}$');
GRANT INSERT (before_hash, after_hash) ON audit_events TO forecourt_app;

-- As before, and with both hashes, which lines of version a1 do not have.
CREATE OR REPLACE FUNCTION append_audit(p_organization text, p_lines text) RETURNS integer
  LANGUAGE plpgsql SET search_path = forecourt, pg_temp AS $$
DECLARE
  outer_tenant text := coalesce(current_setting('app.tenant', true), '');
  appended     integer;
BEGIN
  PERFORM set_config('app.tenant', p_organization, true);
  INSERT INTO audit_events (event_id, organization_id, occurred_at, trace_id, surface, operation, profile, actor_kind, actor, client,
                            rooftop_ids, resource_ids, decision, reason, policy_version, outcome, failure_code, purpose, before_hash, after_hash,
                            canon, nonce)
  SELECT j ->> 1, j ->> 3, (j ->> 2)::timestamptz, j ->> 4, j ->> 5, j ->> 6, j ->> 7, j ->> 8, nullif(part[2], ''), nullif(part[3], ''),
         ARRAY(SELECT jsonb_array_elements_text(j -> 11)), ARRAY(SELECT jsonb_array_elements_text(j -> 12)),
         j ->> 13, j ->> 14, j ->> 15, j ->> 16, j ->> 17, j ->> 18, j ->> 19, j ->> 20, convert_to(part[4], 'UTF8'), decode(part[1], 'hex')
  FROM (SELECT part, part[4]::jsonb AS j
        FROM (SELECT string_to_array(line, E'\t') AS part FROM string_to_table(p_lines, E'\n') AS line OFFSET 0) AS split
        OFFSET 0) AS parsed;
  GET DIAGNOSTICS appended = ROW_COUNT;
  PERFORM set_config('app.tenant', outer_tenant, true);
  RETURN appended;
END
$$;
