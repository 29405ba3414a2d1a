import { CANONICAL_VERSION } from '../domain/canonical-record.js';

// Statements that read entries of a log with their records. Each record is looked up by its key, whatever the planner knows of
// the tables: a join over a trail that was never analysed took fifty times as long.

const TIME = `to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const PART = `(SELECT * FROM audit_entries WHERE organization_id = current_tenant() AND seq >= $1::bigint AND seq < $1::bigint + $2::bigint ORDER BY seq) k`;
const RECORD = `LEFT JOIN LATERAL (SELECT * FROM audit_events e WHERE e.recorded_at = k.recorded_at AND e.event_id = k.event_id OFFSET 0) e ON true`;

// to_char and not JavaScript's Date: the text must be the one that was hashed.
const WHOLE = `k.seq::float8 AS seq, k.leaf_hash AS "leafHash", e.canon, e.nonce, e.actor, e.client,
    json_build_object('eventId', e.event_id, 'occurredAt', ${TIME},
      'organizationId', e.organization_id, 'traceId', e.trace_id, 'surface', e.surface, 'operation', e.operation, 'profile', e.profile,
      'actorKind', e.actor_kind, 'rooftopIds', e.rooftop_ids, 'resourceIds', e.resource_ids, 'decision', e.decision, 'reason', e.reason,
      'policyVersion', e.policy_version, 'outcome', e.outcome, 'failureCode', e.failure_code, 'purpose', e.purpose,
      'beforeHash', e.before_hash, 'afterHash', e.after_hash) AS columns`;

/** $1 first row, $2 how many from there on, whether they are there or not. */
export const ENTRIES = `SELECT ${WHOLE} FROM ${PART} ${RECORD} ORDER BY k.seq`;

/** $1 id of the record. */
export const ENTRY = `SELECT ${WHOLE} FROM audit_events e JOIN audit_entries k ON k.recorded_at = e.recorded_at AND k.event_id = e.event_id
  WHERE e.organization_id = current_tenant() AND e.event_id = $1 ORDER BY k.seq LIMIT 1`;

const vaulted = (which: string): string => `SELECT ${WHOLE}, k.path, k.vault_number::float8 AS "vaultNumber"
  FROM (SELECT seq, leaf AS leaf_hash, path, vault_number FROM hold_vault WHERE organization_id = current_tenant() AND ${which}) k
  JOIN hold_vault e ON e.organization_id = current_tenant() AND e.seq = k.seq ORDER BY k.seq`;

/** $1 first row, $2 how many. */
export const VAULTED = vaulted('seq >= $1 ORDER BY seq LIMIT $2');

/** $1 id of the record. */
export const VAULTED_ENTRY = vaulted('event_id = $1 ORDER BY seq LIMIT 1');

export const LEAVES = `SELECT seq::float8 AS seq, leaf_hash AS "leafHash" FROM ${PART}`;

const orNull = (column: string): string => `coalesce('"' || e.${column} || '"', 'null')`;
const list = (column: string): string =>
  `CASE WHEN cardinality(e.${column}) = 0 THEN '[]' ELSE '["' || array_to_string(e.${column}, '","', '"') || '"]' END`;

const BEFORE_COMMITMENTS = `concat('"', e.event_id, '","', ${TIME}, '","', e.organization_id, '","', e.trace_id, '","', e.surface, '","',
    e.operation, '",', ${orNull('profile')}, ',"', e.actor_kind, '",')`;
const AFTER_COMMITMENTS = `concat(',', ${list('rooftop_ids')}, ',', ${list('resource_ids')}, ',"', e.decision, '",', ${orNull('reason')}, ',',
    ${orNull('policy_version')}, ',"', e.outcome, '",', ${orNull('failure_code')}, ',', ${orNull('purpose')}, ',', ${orNull('before_hash')}, ',',
    ${orNull('after_hash')}, ']')`;
const TEXTS = `concat(e.event_id, e.organization_id, e.trace_id, e.surface, e.operation, e.profile, e.actor_kind, array_to_string(e.rooftop_ids, ''),
    array_to_string(e.resource_ids, ''), e.decision, e.reason, e.policy_version, e.outcome, e.failure_code, e.purpose)`;

/**
 * A stretch as one text (sketched-entries.ts): a row of the protocol for each record costs more than checking it. Each record begins
 * with the lengths of what follows, so that no value can pass for another one. Whether the columns make the text of the canonical
 * form around the commitments is told here; hashes are for whoever reads. A record where this cannot be told by comparing
 * plain ASCII, or that is gone, has its place and leaf alone.
 */
export const SKETCHES = `SELECT string_agg(CASE WHEN plain
      THEN concat(seq, ' ', leaf, ' ', octet_length(head), ' ', octet_length(canon) - octet_length(tail), ' ', octet_length(actor), ' ',
                  octet_length(client), ' ', octet_length(canon), ' ', nonce, actor, client, written)
      ELSE concat(seq, ' ', leaf, ';') END, '' ORDER BY seq) AS text
  FROM (SELECT seq, leaf, nonce, actor, client, canon, written, head, tail, coalesce(
      substr(canon, 1, octet_length(head)) = head AND substr(canon, octet_length(canon) - octet_length(tail) + 1) = tail AND octet_length(written) = octet_length(canon) AND length(nonce) = 32
        AND octet_length(concat(actor, client)) = length(concat(actor, client)) AND NOT quoted AND actor IS DISTINCT FROM '' AND client IS DISTINCT FROM '',
      false) AS plain
    FROM (SELECT k.seq, encode(k.leaf_hash, 'hex') AS leaf, e.canon, encode(e.canon, 'escape') AS written, encode(e.nonce, 'hex') AS nonce, e.actor, e.client,
        convert_to(concat('["${CANONICAL_VERSION}",', ${BEFORE_COMMITMENTS}), 'UTF8') AS head, convert_to(${AFTER_COMMITMENTS}, 'UTF8') AS tail,
        strpos(${TEXTS}, '"') > 0 AS quoted
      FROM ${PART} ${RECORD} OFFSET 0) AS told) AS lined`;
