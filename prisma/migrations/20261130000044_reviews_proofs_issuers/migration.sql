-- What a dealer reviewed where sources disagree (docs/adr/0058-reviewed-disagreements.md), proofs of possession that processes remember
-- together (docs/adr/0031), and the end of an issuer's trust on the fast path (docs/adr/0037).
-- Runs as forecourt_owner with search_path = forecourt.

-- ------------------------------------------------------------------------------------------------ reviewed disagreements
-- A review is of exactly what the sources said then: another statement has another hash, and is open again. The highest
-- version of a field counts; rows are only added.
CREATE TABLE discrepancy_reviews (
  organization_id text NOT NULL REFERENCES organizations,
  rooftop_id      text NOT NULL,
  vin             text NOT NULL CHECK (length(vin) = 17),
  field           text NOT NULL CHECK (length(field) BETWEEN 1 AND 120),
  version         integer NOT NULL CHECK (version >= 1),
  status          text NOT NULL CHECK (status IN ('dealer_reviewed', 'unresolved')),
  content_hash    text NOT NULL CHECK (content_hash ~ '^[0-9a-f]{64}$'),
  author          text NOT NULL CHECK (length(author) BETWEEN 1 AND 128),
  reason          text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
  created_at      timestamptz(6) NOT NULL,
  PRIMARY KEY (organization_id, rooftop_id, vin, field, version),
  FOREIGN KEY (organization_id, rooftop_id) REFERENCES rooftops
);
SELECT isolate_tenant_table('discrepancy_reviews');
GRANT SELECT, INSERT ON discrepancy_reviews TO forecourt_app;

-- What was reviewed of a vehicle has lapsed when the rooftop serves it no longer.
SELECT govern_table('discrepancy_reviews', 'unit_event',
  $$r.rooftop_id || '/' || r.vin || '/' || r.field || '@' || r.version$$, 'ARRAY[r.rooftop_id]', 'ARRAY[r.vin, r.author]', '{"created": "r.created_at"}',
  p_disposable => $$NOT EXISTS (SELECT FROM rooftop_inventory i JOIN units u ON u.organization_id = i.organization_id AND u.snapshot_id = i.snapshot_id
    WHERE i.organization_id = r.organization_id AND i.rooftop_id = r.rooftop_id AND u.vin = r.vin)$$);
INSERT INTO subject_places (place, table_name, category, record_id, clocks, found, said, erases, keeps) VALUES
  ('discrepancy_reviews', 'discrepancy_reviews', 'unit_event', 'r.rooftop_id || ''/'' || r.vin || ''/'' || r.field || ''@'' || r.version', '{"created":"r.created_at"}',
   'r.author = ANY (subject_names(:names, ''person'', ''key''))',
   'jsonb_build_object(''rooftop_id'', r.rooftop_id, ''field'', r.field, ''reason'', r.reason, ''created_at'', r.created_at)',
   'KEEP', 'pseudonymous id; who answers for a review');

-- ------------------------------------------------------------------------------------------------ proofs of possession
-- Each counts once for all processes (RFC 9449 §11.1). Hashes of key and proof; nothing of them can be told. Bounded by what each
-- process may remember, and swept by whoever writes.
CREATE TABLE dpop_proofs (
  digest bytea PRIMARY KEY CHECK (length(digest) = 32),
  until  timestamptz(3) NOT NULL
);
CREATE INDEX dpop_proofs_by_end ON dpop_proofs (until);
GRANT SELECT, INSERT, UPDATE, DELETE ON dpop_proofs TO forecourt_app;

-- ------------------------------------------------------------------------------------------------ the end of an issuer's trust
ALTER TABLE revocations DROP CONSTRAINT revocations_kind_check,
  ADD CONSTRAINT revocations_kind_check CHECK (kind IN ('key', 'grant', 'delegation', 'agent_client', 'person', 'issuer'));
SELECT track_revocations('trusted_issuers', 'issuer', 'trusted_issuer_id');

-- Those that ended already: a snapshot on a disk may still have them in force.
DO $$
DECLARE
  tenant text;
BEGIN
  FOR tenant IN SELECT organization_id FROM organizations LOOP
    PERFORM set_config('app.tenant', tenant, true);
    INSERT INTO revocations (organization_id, kind, id, revoked_at)
      SELECT organization_id, 'issuer', trusted_issuer_id, revoked_at FROM trusted_issuers WHERE revoked_at IS NOT NULL
      ON CONFLICT DO NOTHING;
  END LOOP;
  PERFORM set_config('app.tenant', '', true);
END
$$;
