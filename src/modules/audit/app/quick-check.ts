import { hash } from 'node:crypto';
import { CANONICAL_VERSION, commitment, type ErasableField } from '../domain/canonical-record.js';
import type { RowSketch } from './audit-log-reader.js';

const START = `["${CANONICAL_VERSION}",`;

/**
 * The leaf of a record whose columns and values are found to be exactly what its canonical bytes say, by comparing text.
 * @returns undefined where that cannot be seen in this way, which does not mean that anything is wrong: the record has to be
 *   read whole and checked by `checkRow`.
 */
export function quickLeaf({ canon, head, tail, quoted, nonce, actor, client }: RowSketch): Buffer | undefined {
  if (quoted || nonce === null || canon.includes('\\')) return undefined;
  const expected = `${START}${head}${committed(nonce, 'actor', actor)},${committed(nonce, 'client', client)}${tail}`;
  return expected === canon ? hash('sha256', `\0${canon}`, 'buffer') : undefined;
}

const committed = (nonce: string, field: ErasableField, value: string | null): string =>
  value === null ? 'null' : `"${commitment(nonce, field, value)}"`;
