import type { CompletedNode } from './compact-range.js';
import { HASH_BYTES, perfectRoot } from './hashes.js';

/** Levels of the tree that one tile spans (C2SP tlog-tiles). */
export const TILE_HEIGHT = 8;
/** Hashes of a full tile. */
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** A full tile: the 256 hashes that stand side by side at tree level `level` × 8. Full tiles never change. */
export interface FullTile {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
}

/** Collects completed subtrees of every eighth level into tiles, from any size on. */
export class TileCollector {
  private readonly open = new Map<number, Buffer[]>();

  /** @param rest hashes of the tile that is open at each tile level, as they are stored */
  constructor(rest: ReadonlyMap<number, readonly Buffer[]> = new Map()) {
    for (const [level, hashes] of rest) this.open.set(level, [...hashes]);
  }

  /** Takes the subtrees in that one leaf completed. @returns the tiles that are full now, lowest level first. */
  take(completed: readonly CompletedNode[]): readonly FullTile[] {
    const full: FullTile[] = [];
    for (const { level, index, hash } of completed) {
      if (level % TILE_HEIGHT !== 0) continue;
      const tileLevel = level / TILE_HEIGHT;
      const hashes = this.open.get(tileLevel) ?? [];
      hashes.push(Buffer.from(hash));
      if (hashes.length < TILE_WIDTH) {
        this.open.set(tileLevel, hashes);
        continue;
      }
      full.push({ level: tileLevel, index: Math.floor(index / TILE_WIDTH), hashes: Buffer.concat(hashes) });
      this.open.delete(tileLevel);
    }
    return full;
  }
}

/** Reads stored hashes: `count` of them from `start` on, at a tile level. */
export type HashReader = (tileLevel: number, start: number, count: number) => Promise<Buffer>;

/** Hashes of the tree are gone. */
export class HashesLack extends Error {
  constructor() {
    super('the log lacks hashes that its size promises');
  }
}

/** Roots of perfect subtrees out of stored tiles: the hashes of the tile level below are folded. */
export function subtreeRootsFrom(read: HashReader): (level: number, index: number) => Promise<Uint8Array> {
  return async (level, index) => {
    const tileLevel = Math.floor(level / TILE_HEIGHT);
    const count = 2 ** (level % TILE_HEIGHT);
    const bytes = await read(tileLevel, index * count, count);
    if (bytes.length !== count * HASH_BYTES) throw new HashesLack();
    return perfectRoot(Array.from({ length: count }, (_, i) => bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)));
  };
}
