import { Failure } from '../../../kernel/failure/failure.js';
import { networkOfText } from '../domain/key-networks.js';

/** CIDR ranges in their kept form, each once. @throws Failure `input.invalid` that points at every one that is none. */
export function checkedNetworks(texts: readonly string[]): readonly string[] {
  const read = texts.map((text) => networkOfText(text));
  const violations = read.flatMap((network, index) =>
    network === undefined
      ? [{ pointer: `/networks/${index}`, keyword: 'format', explanation: 'must be an IPv4 or IPv6 CIDR range' }]
      : [],
  );
  if (violations.length > 0) throw new Failure('input.invalid', { violations });
  return [...new Set(read.filter((network) => network !== undefined))];
}

/** One violation of a request about a key. */
export const invalidKey = (pointer: string, keyword: string, explanation: string): Failure =>
  new Failure('input.invalid', { violations: [{ pointer, keyword, explanation }] });
