/** What a message is about: that something must be kept, that this was not acknowledged yet, that it was not at all. */
export type NoticeStepKind = 'notice' | 'reminder' | 'escalation';

/** A step of a notice. */
export interface NoticeStep {
  readonly noticeId: string;
  readonly kind: NoticeStepKind;
  /** Of reminders, from 1; else 0. */
  readonly ordinal: number;
}

/** Why a message is not sent any more. */
export type DropReason = 'acknowledged' | 'hold_released' | 'target_revoked' | 'gave_up';

/** A message to one target, and how it fares. Times are milliseconds. */
export interface NoticeDelivery extends NoticeStep {
  readonly targetId: string;
  readonly createdAt: number;
  readonly attempts: number;
  readonly attemptedAt: number | null;
  /** Why the last attempt that failed did: a code. */
  readonly problem: string | null;
  readonly deliveredAt: number | null;
  readonly droppedAt: number | null;
  readonly droppedFor: DropReason | null;
}

/** The same for every attempt, so that a receiver can tell a repetition. */
export const messageIdOf = ({ noticeId, kind, ordinal, targetId }: NoticeStep & { targetId: string }): string =>
  `${noticeId}.${kind === 'reminder' ? `reminder-${ordinal}` : kind}.${targetId}`;
