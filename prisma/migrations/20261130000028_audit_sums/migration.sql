-- Sums over many records (docs/adr/0050-what-the-audit-trail-costs.md): memory to count in, and an end. A sum that takes longer is
-- refused with SQLSTATE 57014, and the answer says to ask about a shorter period. Runs as forecourt_owner with search_path = forecourt.
ALTER FUNCTION sum_up_audit(jsonb, integer) SET work_mem = '64MB';
ALTER FUNCTION audit_receipts(jsonb, date, text, text, integer) SET work_mem = '64MB';

-- Whatever is known of the trail: the lag is read off the beginning of what has no number, in the order of the index.
ALTER FUNCTION audit_lag_seconds() SET enable_seqscan = off;
ALTER FUNCTION audit_lag_seconds() SET enable_bitmapscan = off;
ALTER FUNCTION audit_lag_seconds() SET enable_sort = off;
