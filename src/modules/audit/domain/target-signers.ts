import type { AuditTarget } from './audit-target.js';

/**
 * Under which names the secrets of a webhook are derived: that of the one in use, and while it counts that of the one before. The first
 * secret of a target has the target's own id.
 */
export function signersOf(
  {
    targetId,
    secretNumber,
    previousSecretUntil,
  }: Pick<AuditTarget, 'targetId' | 'secretNumber' | 'previousSecretUntil'>,
  now: number,
): readonly [string, ...string[]] {
  const nameOf = (number: number): string => (number === 1 ? targetId : `${targetId}#${number}`);
  const current = nameOf(secretNumber);
  return previousSecretUntil !== null && previousSecretUntil > now ? [current, nameOf(secretNumber - 1)] : [current];
}
