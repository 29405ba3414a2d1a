import type { NoticeStepKind } from './notice-delivery.js';

/** Where an organization has notices of holds sent. Times are milliseconds. */
export interface NoticeTarget {
  readonly targetId: string;
  readonly kind: 'webhook' | 'mail';
  /** A URL, or a mail address. */
  readonly address: string;
  /** `notices`: what persons are told and reminded of. `escalations`: that somebody does not answer. */
  readonly purpose: 'notices' | 'escalations';
  /** Whose own address it is: it gets what this person is told, and nothing else. */
  readonly personId: string | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** How delivery to a target goes. */
export interface TargetHealth {
  /** Attempts that failed since the last one that did not. */
  readonly failures: number;
  /** Why the last attempt failed: a code. */
  readonly problem: string | null;
  readonly deliveredAt: number | null;
}

/**
 * Where a step of a notice is sent. Somebody's silence goes to the targets for escalations, else to those where everything goes:
 * that nobody administers a second target is no reason to keep quiet about it.
 * @param told the person whom the step is for; null: nobody by name, so no person's own address gets it
 * @param targets that are not revoked
 */
export function targetsOf(
  kind: NoticeStepKind,
  told: string | null,
  targets: readonly NoticeTarget[],
): readonly NoticeTarget[] {
  const meant = targets.filter(({ personId }) => personId === null || personId === told);
  const notices = meant.filter(({ purpose }) => purpose === 'notices');
  const escalations = meant.filter(({ purpose }) => purpose === 'escalations');
  if (kind !== 'escalation' || escalations.length === 0) return notices;
  return [...escalations, ...notices.filter(({ personId }) => personId !== null)];
}
