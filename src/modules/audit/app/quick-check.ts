import { commitment, type ErasableField } from '../domain/canonical-record.js';
import { leafOf } from '../domain/stored-record.js';
import type { RowSketch } from './audit-log-reader.js';

/**
 * The leaf of a record whose values are found to be what its canonical bytes committed to.
 * @returns undefined where that cannot be seen in this way, which does not mean that anything is wrong: the record has to be
 *   read whole and checked by `checkRow`.
 */
export function quickLeaf({ canon, from, to, nonce, actor, client }: RowSketch): Buffer | undefined {
  const expected = `${committed(nonce, 'actor', actor)},${committed(nonce, 'client', client)}`;
  return canon.toString('latin1', from, to) === expected ? leafOf(canon) : undefined;
}

const committed = (nonce: Uint8Array, field: ErasableField, value: string | null): string =>
  value === null ? 'null' : `"${commitment(nonce, field, value)}"`;
