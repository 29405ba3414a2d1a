import { Failure } from './failure/failure.js';

/** Versions that the caller of a change takes to be in force (If-Match); undefined when it named none. */
export type ExpectedVersions = readonly number[] | undefined;

/**
 * A conditional change goes on only from the version that its author has seen (decision record 0035). Checked before the
 * resource is looked at: a change that names no version is refused whatever it is about.
 * @throws Failure `input.precondition` with the reason `precondition_required`.
 */
export function requireVersions(expected: ExpectedVersions): readonly number[] {
  if (expected === undefined) throw new Failure('input.precondition', { reason: 'precondition_required' });
  return expected;
}

/** @throws Failure `input.precondition` with the reason `precondition_failed` when another version is in force. */
export function requireVersion(expected: readonly number[], inForce: number): void {
  if (!expected.includes(inForce)) throw new Failure('input.precondition', { reason: 'precondition_failed' });
}
