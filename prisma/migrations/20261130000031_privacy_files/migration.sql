-- Files of access requests go like the others, after the rows that named them (docs/adr/0045-what-is-stored.md). Runs as
-- forecourt_owner with search_path = forecourt.
ALTER TABLE file_removals DROP CONSTRAINT file_removals_kind_check;
ALTER TABLE file_removals ADD CONSTRAINT file_removals_kind_check CHECK (kind IN ('feed_file', 'audit_export', 'privacy_file'));

CREATE TRIGGER note_files AFTER DELETE ON privacy_request_parts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_files('privacy_file');
ALTER TABLE privacy_request_parts ENABLE ALWAYS TRIGGER note_files;

-- As before, and with files of access requests.
CREATE OR REPLACE FUNCTION file_is_named(p_kind text, p_key text) RETURNS boolean LANGUAGE sql STABLE SET search_path = forecourt, pg_temp
  AS $$ SELECT CASE p_kind
          WHEN 'feed_file' THEN EXISTS (SELECT FROM feed_files f WHERE f.organization_id = current_tenant() AND f.storage_key = p_key)
          WHEN 'audit_export' THEN EXISTS (SELECT FROM audit_export_parts p WHERE p.organization_id = current_tenant() AND p.storage_key = p_key)
          WHEN 'privacy_file' THEN EXISTS (SELECT FROM privacy_request_parts p WHERE p.organization_id = current_tenant() AND p.storage_key = p_key)
          ELSE true END $$;
