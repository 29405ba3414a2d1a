// Statements that read entries of a log with their records. Each record is looked up by its key, whatever the planner knows of
// the tables: a join over a trail that was never analysed took fifty times as long.

const TIME = `to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const part = (seq: string, count: string): string =>
  `(SELECT * FROM audit_entries WHERE organization_id = current_tenant() AND seq >= ${seq} AND seq < ${seq} + ${count} ORDER BY seq) k`;
const PART = part('$1::bigint', '$2::bigint');
// COPY takes no parameters; nothing but a whole number can come out of this.
const bigint = (value: number): string => `${BigInt(value).toString()}::bigint`;
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

/**
 * A stretch with its records, as `COPY` in binary sends them (copied-records.ts): that costs a third of what it takes to write and to
 * compare texts in the database. Fields after the erasable values stand in the order of the canonical form.
 * @param seq first row @param count how many from there on, whether they are there or not
 */
export const copiedRecords = (seq: number, count: number): string =>
  `COPY (SELECT k.seq, k.leaf_hash, e.canon, e.nonce, e.actor, e.client, e.event_id, e.occurred_at, e.organization_id, e.trace_id, e.surface,
      e.operation, e.profile, e.actor_kind, e.rooftop_ids, e.resource_ids, e.decision, e.reason, e.policy_version, e.outcome, e.failure_code,
      e.purpose, e.before_hash, e.after_hash
    FROM ${part(bigint(seq), bigint(count))} ${RECORD} ORDER BY k.seq) TO STDOUT (FORMAT binary)`;
