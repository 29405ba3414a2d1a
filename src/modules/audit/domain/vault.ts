import { createHash, type Hash } from 'node:crypto';
import { HASH_BYTES, nodeHash } from './log/hashes.js';
import type { SubtreeRoot } from './log/merkle-proof.js';
import { TILE_HEIGHT, TILE_WIDTH } from './log/tiles.js';

/** Operation of the audit record that says what is in the vault. */
export const VAULTED_OPERATION = 'log.vaulted';

/** A held record's place in the log that was pruned around it. */
export interface VaultPlace {
  readonly seq: number;
  /** Siblings from the leaf to the root of its tile, side by side. */
  readonly path: Buffer;
}

/** What a `log.vaulted` record says of the vault. SQL `audit_vault_statement` computes the same. */
export interface VaultStatement {
  readonly records: number;
  /** Number of the record that came in last; those that came in later are not counted. */
  readonly lastNumber: number;
  /** The record's hash of what came after, hex. */
  readonly digest: string;
}

/** The resources of a `log.vaulted` record. */
export const vaultResources = ({ records, lastNumber }: Omit<VaultStatement, 'digest'>): readonly string[] => [
  `records ${records}`,
  `number ${lastNumber}`,
];

/** What a `log.vaulted` record says; undefined where it is none that we wrote. */
export function vaultStatementOf(resourceIds: readonly string[], afterHash: string | null): VaultStatement | undefined {
  const [, records, lastNumber] = /^records (\d{1,15})\nnumber (\d{1,15})$/.exec(resourceIds.join('\n')) ?? [];
  if (records === undefined || lastNumber === undefined || afterHash === null) return undefined;
  return { records: Number(records), lastNumber: Number(lastNumber), digest: afterHash };
}

/** The hash of a vault's records, in the order of their rows. */
export class VaultDigest {
  private readonly hash: Hash;

  constructor(organizationId: string, { records, lastNumber }: Omit<VaultStatement, 'digest'>) {
    this.hash = createHash('sha256').update([organizationId, records, lastNumber].join('\n'));
  }

  /** @param erased whether its erasable values are gone */
  take(seq: number, leaf: Buffer, erased: boolean): void {
    this.hash.update(`\n${seq} ${leaf.toString('hex')}${erased ? ' erased' : ''}`);
  }

  end(): string {
    return this.hash.digest('hex');
  }
}

/** The root of the tile that a leaf is in. */
export function tileRootOf(leaf: Uint8Array, { seq, path }: VaultPlace): Uint8Array {
  let [hash, position] = [leaf, seq % TILE_WIDTH];
  for (let level = 0; level < TILE_HEIGHT; level++, position = Math.floor(position / 2)) {
    const sibling = siblingAt(path, level);
    hash = position % 2 === 1 ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
  }
  return hash;
}

/** Roots of the log for the proof of a vaulted record: within its tile, whose leaves are gone, they are what was kept of it. */
export function withVaulted({ seq, path }: VaultPlace, at: SubtreeRoot): SubtreeRoot {
  return (level, index) => {
    const own = Math.floor(seq / 2 ** level);
    const sibling = own % 2 === 0 ? own + 1 : own - 1;
    return level < TILE_HEIGHT && index === sibling ? Promise.resolve(siblingAt(path, level)) : at(level, index);
  };
}

const siblingAt = (path: Buffer, level: number): Buffer => path.subarray(level * HASH_BYTES, (level + 1) * HASH_BYTES);
