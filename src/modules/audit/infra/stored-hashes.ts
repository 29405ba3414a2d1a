import type pg from 'pg';
import { HASH_BYTES, perfectRoot } from '../domain/log/hashes.js';
import { TILE_WIDTH } from '../domain/log/tiles.js';

const LEAVES = `SELECT string_agg(leaf_hash, ''::bytea ORDER BY seq) AS hashes FROM audit_entries WHERE seq >= $1 AND seq < $2`;
const TILES = `SELECT tile_index::float8 AS index, hashes FROM audit_tiles WHERE tile_level = $1 AND tile_index >= $2 AND tile_index <= $3 ORDER BY tile_index`;

/** `count` hashes of a tile level of the tenant's log, side by side, from `start` on; fewer where the log has fewer. */
export async function readHashes(
  client: pg.PoolClient,
  tileLevel: number,
  start: number,
  count: number,
): Promise<Buffer> {
  if (tileLevel === 0) return leaves(client, start, count);
  const [first, last] = [Math.floor(start / TILE_WIDTH), Math.floor((start + count - 1) / TILE_WIDTH)];
  const { rows } = await client.query<{ index: number; hashes: Buffer }>(TILES, [tileLevel, first, last]);
  const stored = Buffer.concat(rows.map((row) => row.hashes));
  const offset = (start - first * TILE_WIDTH) * HASH_BYTES;
  if (stored.length >= offset + count * HASH_BYTES) return stored.subarray(offset, offset + count * HASH_BYTES);
  return rootsOfTiles(client, tileLevel - 1, start, count);
}

async function leaves(client: pg.PoolClient, start: number, count: number): Promise<Buffer> {
  const { rows } = await client.query<{ hashes: Buffer | null }>(LEAVES, [start, start + count]);
  return rows[0]?.hashes ?? Buffer.alloc(0);
}

/** Hashes of a tile that is not full yet: each is the root of a full tile of the level below. */
async function rootsOfTiles(client: pg.PoolClient, tileLevel: number, start: number, count: number): Promise<Buffer> {
  const { rows } = await client.query<{ hashes: Buffer }>(TILES, [tileLevel, start, start + count - 1]);
  return Buffer.concat(rows.map(({ hashes }) => perfectRoot(split(hashes))));
}

const split = (hashes: Buffer): Buffer[] =>
  Array.from({ length: TILE_WIDTH }, (_, i) => hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
