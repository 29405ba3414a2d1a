import { createHash, generateKeyPairSync, hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointText, openCheckpoint, signCheckpoint } from './checkpoint.js';
import { CompactRange } from './compact-range.js';
import { EMPTY_ROOT, HASH_BYTES, nodeHash, perfectRoot } from './hashes.js';
import { consistencyProof, inclusionProof, includes, isConsistent } from './merkle-proof.js';
import { subtreeRootsFrom, TILE_WIDTH, TileCollector } from './tiles.js';

const leaf = (data: Uint8Array): Buffer => createHash('sha256').update('\0').update(data).digest();
const leafOf = (i: number): Buffer => leaf(Buffer.from(`record ${i}`));

/** The definition of RFC 9162 §2.1.1, word for word: slow, and nothing shared with what is tested. */
function definedRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return hash('sha256', '', 'buffer');
  if (leaves.length === 1) return leaves[0]!;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  const pair = [Buffer.from([1]), definedRoot(leaves.slice(0, k)), definedRoot(leaves.slice(k))];
  return createHash('sha256').update(Buffer.concat(pair)).digest();
}

/** A log of `size` records as it would be stored: full tiles, and what is open. */
function storedLog(size: number): { range: CompactRange; at: ReturnType<typeof subtreeRootsFrom>; leaves: Buffer[] } {
  const range = new CompactRange();
  const tiles = new TileCollector();
  const levels: Buffer[][] = [];
  const leaves = Array.from({ length: size }, (_, i) => leafOf(i));
  for (const one of leaves)
    for (const { level, index, hashes } of tiles.take(range.append(one))) (levels[level] ??= [])[index] = hashes;
  const at = subtreeRootsFrom((level, start, count) => {
    if (level === 0) return Promise.resolve(Buffer.concat(leaves.slice(start, start + count)));
    const tile = levels[level]?.[Math.floor(start / TILE_WIDTH)];
    if (tile !== undefined) {
      const offset = (start % TILE_WIDTH) * HASH_BYTES;
      return Promise.resolve(tile.subarray(offset, offset + count * HASH_BYTES));
    }
    const below = levels[level - 1] ?? [];
    const roots = below.slice(start, start + count).map((hashes) => perfectRoot(split(hashes)));
    return Promise.resolve(Buffer.concat(roots));
  });
  return { range, at, leaves };
}

const split = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, i) => bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));

describe('the Merkle tree', () => {
  it('has the published roots of the certificate transparency test inputs', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const roots = [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    const range = new CompactRange();
    expect(Buffer.from(range.root()).equals(EMPTY_ROOT)).toBe(true);
    inputs.forEach((input, i) => {
      range.append(leaf(Buffer.from(input, 'hex')));
      expect(Buffer.from(range.root()).toString('hex')).toBe(roots[i]);
    });
  });

  it('equals the definition for every size, and goes on from stored subtrees', async () => {
    const { at, leaves } = storedLog(600);
    const range = new CompactRange();
    for (let size = 1; size <= 600; size++) {
      range.append(leaves[size - 1]!);
      if (size % 37 !== 0 && size > 70 && Math.abs(size - 512) > 2) continue;
      const root = Buffer.from(range.root());
      expect(root.equals(definedRoot(leaves.slice(0, size)))).toBe(true);
      const resumed = await CompactRange.of(size, at);
      expect(Buffer.from(resumed.root()).equals(root)).toBe(true);
    }
  });

  it('proves every leaf and every older size, and nothing else', async () => {
    const size = 300;
    const { at, leaves } = storedLog(size);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: size }),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        async (second, leafSeed, sizeSeed, bit) => {
          const index = leafSeed % second;
          const first = (sizeSeed % second) + 1;
          const root = definedRoot(leaves.slice(0, second));
          const older = definedRoot(leaves.slice(0, first));
          const inclusion = await inclusionProof(index, second, at);
          const consistency = await consistencyProof(first, second, at);
          expect(includes(leaves[index]!, index, second, inclusion, root)).toBe(true);
          expect(isConsistent(first, second, consistency, older, root)).toBe(true);
          expect(inclusion.length).toBeLessThanOrEqual(Math.ceil(Math.log2(second)));
          const flipped = Buffer.from(leaves[index]!);
          flipped[bit % HASH_BYTES]! ^= 1;
          expect(includes(flipped, index, second, inclusion, root)).toBe(false);
          expect(includes(leaves[index]!, (index + 1) % second, second, inclusion, root)).toBe(second === 1);
          if (first < second) {
            expect(isConsistent(first, second, consistency, flipped, root)).toBe(false);
            expect(isConsistent(first, second, consistency, older, flipped)).toBe(false);
            expect(isConsistent(first, second, [...consistency, flipped], older, root)).toBe(false);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never takes an inner node for a leaf', () => {
    const [a, b, c] = [leafOf(1), leafOf(2), leafOf(3)];
    const inner = nodeHash(a, b);
    const root = nodeHash(inner, c);
    expect(includes(inner, 0, 3, [c], root)).toBe(false);
    expect(includes(inner, 0, 2, [c], root)).toBe(true); // a smaller size says otherwise, which is why sizes are signed
  });

  it('fills tiles of 256 hashes at every eighth level', () => {
    const tiles = new TileCollector();
    const range = new CompactRange();
    const full = Array.from({ length: TILE_WIDTH * TILE_WIDTH }, (_, i) => leafOf(i % 7)).flatMap((one) =>
      tiles.take(range.append(one)),
    );
    expect(full.filter((t) => t.level === 0).map((t) => t.index)).toEqual(
      Array.from({ length: TILE_WIDTH }, (_, i) => i),
    );
    expect(full.filter((t) => t.level === 1)).toHaveLength(1);
    expect(full.every((t) => t.hashes.length === TILE_WIDTH * HASH_BYTES)).toBe(true);
    const top = full.find((t) => t.level === 1)!;
    expect(Buffer.from(range.root()).equals(perfectRoot(split(top.hashes)))).toBe(true);
  });
});

describe('a checkpoint', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const other = generateKeyPairSync('ed25519');
  const checkpoint = { origin: 'gateway.example/audit/org.a', size: 42, root: leafOf(1) };

  it('is a signed note of three lines', () => {
    const note = signCheckpoint(checkpoint, privateKey, publicKey);
    expect(note.startsWith(checkpointText(checkpoint))).toBe(true);
    expect(note.split('\n\n— ')).toHaveLength(2);
    expect(openCheckpoint(note, checkpoint.origin, [other.publicKey, publicKey])).toEqual(checkpoint);
  });

  it('is refused under another key, another log, or with any byte changed', () => {
    const note = signCheckpoint(checkpoint, privateKey, publicKey);
    expect(openCheckpoint(note, checkpoint.origin, [other.publicKey])).toBeUndefined();
    expect(openCheckpoint(note, 'gateway.example/audit/org.b', [publicKey])).toBeUndefined();
    fc.assert(
      fc.property(fc.nat(note.length - 2), fc.integer({ min: 33, max: 126 }), (at, code) => {
        const changed = note.slice(0, at) + String.fromCharCode(code) + note.slice(at + 1);
        const opened = openCheckpoint(changed, checkpoint.origin, [publicKey]);
        if (changed !== note && opened !== undefined) expect(opened).toEqual(checkpoint); // padding bits of the signature
      }),
    );
  });

  it('keeps older signatures beside newer ones while keys rotate', () => {
    const older = signCheckpoint(checkpoint, privateKey, publicKey);
    const newer = signCheckpoint(checkpoint, other.privateKey, other.publicKey);
    const both = `${older}${newer.split('\n\n')[1]}`;
    expect(openCheckpoint(both, checkpoint.origin, [other.publicKey])).toEqual(checkpoint);
    expect(openCheckpoint(both, checkpoint.origin, [publicKey])).toEqual(checkpoint);
  });
});
