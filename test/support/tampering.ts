import type { KeyObject } from 'node:crypto';
import type pg from 'pg';
import { CompactRange } from '../../src/modules/audit/domain/log/compact-range.js';
import { signCheckpoint } from '../../src/modules/audit/domain/log/checkpoint.js';
import { GATEWAY } from './audit-log-world.js';

/** What is known of the log that is tampered with, and the next random number below a bound. */
export interface Target {
  readonly organizationId: string;
  readonly rows: number;
  readonly key: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  below(bound: number): number;
  /** A record that the log does not have, as `append_audit` takes it. */
  line(): string;
}

/** Rows that were touched, both included. */
export interface Touched {
  readonly from: number;
  readonly to: number;
}

type Tamper = (client: pg.Client, target: Target) => Promise<Touched>;

const at = (seq: number): string =>
  `(recorded_at, event_id) = (SELECT recorded_at, event_id FROM audit_entries WHERE organization_id = $1 AND seq = ${seq})`;

async function run(
  client: pg.Client,
  target: Pick<Target, 'organizationId'>,
  ...statements: readonly string[]
): Promise<void> {
  for (const statement of statements) {
    const { rowCount } = await client.query(statement, [target.organizationId]);
    if (rowCount === 0) throw new Error(`nothing was tampered with: ${statement}`);
  }
}

const EDITS = [
  `outcome = 'failed'`,
  `actor = 'agent.two'`,
  `operation = 'dealeragent.inventory.other'`,
  `rooftop_ids = '{roof.a}'`,
  `rooftop_ids = ARRAY['roof.a","roof.b']`,
  `occurred_at = occurred_at + interval '1 millisecond'`,
  `resource_ids = ARRAY[NULL]::text[]`,
  `client = NULL`,
  `actor = NULL, client = NULL, nonce = NULL`,
  `canon = convert_to(replace(convert_from(canon, 'UTF8'), '"succeeded"', '"failed"'), 'UTF8')`,
  `canon = '\\xff'`,
];
const CHANGED_RECORD = `outcome = 'failed', canon = convert_to(replace(convert_from(canon, 'UTF8'), '"succeeded"', '"failed"'), 'UTF8')`;

const edit: Tamper = async (client, target) => {
  const seq = target.below(target.rows);
  await run(client, target, `UPDATE audit_events SET ${EDITS[target.below(EDITS.length)]!} WHERE ${at(seq)}`);
  return { from: seq, to: seq };
};

const remove: Tamper = async (client, target) => {
  const seq = target.below(target.rows - 1);
  const entry = `DELETE FROM audit_entries WHERE organization_id = $1 AND seq = ${seq}`;
  await run(client, target, ...[[`DELETE FROM audit_events WHERE ${at(seq)}`], [entry]][target.below(2)]!);
  return { from: seq, to: seq };
};

const insert: Tamper = async (client, target) => {
  const seq = target.below(target.rows);
  const line = target.line();
  await client.query('SELECT append_audit($1, $2)', [target.organizationId, line]);
  const newest = `event_id = '${/\["a2","([^"]+)"/.exec(line)![1]!}'`;
  await run(
    client,
    target,
    `UPDATE audit_events SET xid = '3' WHERE organization_id = $1 AND ${newest}`,
    `UPDATE audit_entries SET seq = seq + 1000000 WHERE organization_id = $1 AND seq >= ${seq}`,
    `INSERT INTO audit_entries SELECT organization_id, ${seq}, recorded_at, event_id, leaf FROM audit_events WHERE organization_id = $1 AND ${newest}`,
    `UPDATE audit_entries SET seq = seq - 999999 WHERE organization_id = $1 AND seq >= 1000000`,
    `UPDATE audit_logs SET size = size + 1 WHERE organization_id = $1`,
  );
  return { from: seq, to: target.rows };
};

const swap: Tamper = async (client, target) => {
  const one = target.below(target.rows - 1);
  const other = one + 1 + target.below(target.rows - one - 1);
  const { rows } = await client.query<Record<string, unknown>>(
    `DELETE FROM audit_entries WHERE organization_id = $1 AND seq IN (${one}, ${other}) RETURNING seq::integer, recorded_at::text, event_id, leaf_hash`,
    [target.organizationId],
  );
  for (const row of rows)
    await client.query('INSERT INTO audit_entries VALUES ($1, $2, $3, $4, $5)', [
      target.organizationId,
      row.seq === one ? other : one,
      row.recorded_at,
      row.event_id,
      row.leaf_hash,
    ]);
  return { from: one, to: other };
};

const rehash = (seq: number): string[] => [
  `UPDATE audit_events SET ${CHANGED_RECORD} WHERE ${at(seq)}`,
  `UPDATE audit_entries k SET leaf_hash = e.leaf FROM audit_events e WHERE k.organization_id = $1 AND k.seq = ${seq} AND e.recorded_at = k.recorded_at AND e.event_id = k.event_id`,
];
const retile = (seq: number): string =>
  `UPDATE audit_tiles t SET hashes = overlay(t.hashes placing k.leaf_hash from ${(seq % 256) * 32 + 1} for 32)
   FROM audit_entries k WHERE t.organization_id = $1 AND t.tile_level = 0 AND t.tile_index = ${Math.floor(seq / 256)} AND k.organization_id = $1 AND k.seq = ${seq}`;
const hasTile = (seq: number, rows: number): boolean => Math.floor(seq / 256) < Math.floor(rows / 256);

const editAndRehash: Tamper = async (client, target) => {
  const seq = target.below(target.rows);
  const tile = hasTile(seq, target.rows) && target.below(2) === 0 ? [retile(seq)] : [];
  await run(client, target, ...rehash(seq), ...tile);
  return { from: seq, to: seq };
};

const cutFrom = (seq: number): string[] => [
  `DELETE FROM audit_events WHERE (recorded_at, event_id) IN (SELECT recorded_at, event_id FROM audit_entries WHERE organization_id = $1 AND seq >= ${seq})`,
  `DELETE FROM audit_entries WHERE organization_id = $1 AND seq >= ${seq}`,
  `UPDATE audit_logs SET size = ${seq} WHERE organization_id = $1`,
];

const cutTail: Tamper = async (client, target) => {
  const seq = target.rows - 1 - target.below(140);
  await run(client, target, ...cutFrom(seq));
  return { from: seq, to: target.rows - 1 };
};

const cutTailAndCheckpoints: Tamper = async (client, target) => {
  const seq = target.rows - 1 - target.below(140);
  await run(
    client,
    target,
    ...cutFrom(seq),
    `DELETE FROM audit_checkpoints WHERE organization_id = $1 AND size > ${seq}`,
  );
  return { from: seq, to: target.rows - 1 };
};

const editAndCheckpoints: Tamper = async (client, target) => {
  const seq = target.below(target.rows);
  const tile = hasTile(seq, target.rows) ? [retile(seq)] : [];
  await run(
    client,
    target,
    ...rehash(seq),
    ...tile,
    `DELETE FROM audit_checkpoints WHERE organization_id = $1 AND size > ${seq}`,
  );
  return { from: seq, to: seq };
};

/** As whoever stole the signing key: everything after the edit is made and signed anew, at the same sizes. */
const rewriteWithKey: Tamper = async (client, target) => {
  const seq = target.below(target.rows);
  await rewriteRecord(client, target, seq);
  const sizes = await dropCheckpoints(client, target, seq);
  await signAnew(client, { ...target, origin: `${GATEWAY}/audit/${target.organizationId}` }, sizes);
  return { from: seq, to: seq };
};

/** A record that succeeded says that it failed, in its columns, bytes, leaf and tile. */
export async function rewriteRecord(
  client: pg.Client,
  target: Pick<Target, 'organizationId' | 'rows'>,
  seq: number,
): Promise<void> {
  await run(client, target, ...rehash(seq), ...(hasTile(seq, target.rows) ? [retile(seq)] : []));
}

/** @returns the sizes of all checkpoints that have the row. */
export async function dropCheckpoints(
  client: pg.Client,
  { organizationId }: Pick<Target, 'organizationId'>,
  seq: number,
): Promise<readonly number[]> {
  const dropped = await client.query<{ size: number }>(
    'DELETE FROM audit_checkpoints WHERE organization_id = $1 AND size > $2 RETURNING size::float8 AS size',
    [organizationId, seq],
  );
  return dropped.rows.map(({ size }) => size);
}

/** Signs the log as it stands, at these sizes. */
export async function signAnew(
  client: pg.Client,
  { organizationId, origin, key }: Pick<Target, 'organizationId' | 'key'> & { readonly origin: string },
  sizes: readonly number[],
): Promise<void> {
  const leaves = await client.query<{ leaf_hash: Buffer }>(
    'SELECT leaf_hash FROM audit_entries WHERE organization_id = $1 ORDER BY seq',
    [organizationId],
  );
  const wanted = new Set(sizes);
  const range = new CompactRange();
  for (const { leaf_hash } of leaves.rows) {
    range.append(leaf_hash);
    if (!wanted.has(range.size)) continue;
    const [size, root] = [range.size, range.root()];
    const note = signCheckpoint({ origin, size, root }, key.privateKey, key.publicKey);
    await client.query('INSERT INTO audit_checkpoints (organization_id, size, root, note) VALUES ($1, $2, $3, $4)', [
      organizationId,
      size,
      root,
      note,
    ]);
  }
}

/** The nine kinds of tampering of the test plan; the last three leave nothing in the database that gives them away. */
export const TAMPERINGS: readonly {
  readonly kind: string;
  readonly tamper: Tamper;
  readonly needsWitness: boolean;
}[] = [
  { kind: 'edit', tamper: edit, needsWitness: false },
  { kind: 'delete', tamper: remove, needsWitness: false },
  { kind: 'insert', tamper: insert, needsWitness: false },
  { kind: 'swap', tamper: swap, needsWitness: false },
  { kind: 'edit and rehash', tamper: editAndRehash, needsWitness: false },
  { kind: 'cut the tail', tamper: cutTail, needsWitness: false },
  { kind: 'cut the tail and drop checkpoints', tamper: cutTailAndCheckpoints, needsWitness: true },
  { kind: 'edit, rehash and drop checkpoints', tamper: editAndCheckpoints, needsWitness: true },
  { kind: 'rewrite with the stolen key', tamper: rewriteWithKey, needsWitness: true },
];
