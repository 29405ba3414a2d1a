export const STREAM_FORMATS = ['records', 'ocsf'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

/** Where an organization's trail is sent on, and how that goes. Times are milliseconds since the Unix epoch. */
export interface AuditStream {
  readonly streamId: string;
  readonly version: number;
  readonly name: string;
  readonly url: string;
  readonly format: StreamFormat;
  /** `paused` by staff; `stopped` after a week of failures, or because the receiver said that it is gone. */
  readonly state: 'active' | 'paused' | 'stopped' | 'revoked';
  /** Row that is sent next: all before it were taken. */
  readonly nextSeq: number;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  readonly failingSince?: number;
  readonly retryAt?: number;
  readonly lastProblem?: string;
  readonly lastDeliveredAt?: number;
  /** Until when deliveries are signed with the secret before, too. */
  readonly previousSecretUntil?: number;
  readonly createdAt: number;
}

/** A stretch that a stream sends once more. */
export interface StreamReplay {
  readonly replayId: string;
  readonly streamId: string;
  readonly from: number;
  readonly to: number;
  /** Row that is sent next; at `to` it is done. */
  readonly nextSeq: number;
}
