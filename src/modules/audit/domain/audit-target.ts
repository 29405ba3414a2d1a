/** `witness` cosigns every checkpoint; `webhook` and `mail` get a statement of each day. */
export type AuditTargetKind = 'witness' | 'webhook' | 'mail';

/** Where an organization keeps states of its log outside. Times are milliseconds since the Unix epoch. */
export interface AuditTarget {
  readonly targetId: string;
  readonly version: number;
  readonly kind: AuditTargetKind;
  /** A URL, or a mail address. */
  readonly address: string;
  /** Verifier key of a witness. */
  readonly witnessKey: string | null;
  /** IANA zone whose days statements count. */
  readonly timeZone: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** Which of the secrets of a webhook is in use, counted from 1. */
  readonly secretNumber: number;
  /** Until when messages are signed with the secret before, too. */
  readonly previousSecretUntil: number | null;
}

/** How delivery to a target goes. */
export interface TargetHealth {
  /** Attempts that failed since the last one that did not. */
  readonly failures: number;
  /** Why the last attempt failed: a code. */
  readonly problem: string | null;
  readonly deliveredAt: number | null;
  /** Size of the log that a witness is known to have signed. */
  readonly witnessedSize: number;
}
