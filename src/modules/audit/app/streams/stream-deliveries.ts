import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { AuditStream, StreamReplay } from './audit-stream.js';

/** The right to deliver a stream; another process takes over when it has run out. */
export interface StreamLease {
  readonly organizationId: string;
  readonly streamId: string;
  readonly token: string;
}

/** A stream in the hands of who delivers it. */
export interface HeldStream {
  readonly lease: StreamLease;
  readonly stream: AuditStream;
  /** The one in use, and while it counts the one before. */
  readonly sealedSecrets: readonly Buffer[];
  readonly replay?: StreamReplay;
}

/** What became of an attempt. */
export type DeliveryEnd =
  | { readonly delivered: true; readonly from: number; readonly to: number; readonly replayId?: string }
  | { readonly delivered: false; readonly problem: string; readonly retryInMs: number };

/** Port: who delivers which stream, and where each of them is. */
export interface StreamDeliveries {
  /** Streams of all organizations that have something to send and that nobody holds. */
  due(limit: number): Promise<readonly { organizationId: string; streamId: string }[]>;
  /** Takes a stream, or keeps it. @returns undefined where another process holds it or it is not active. */
  hold(lease: StreamLease): Promise<HeldStream | undefined>;
  /** Moves on, or notes a failure; also prolongs the lease. @returns false when the lease is lost. */
  end(lease: StreamLease, end: DeliveryEnd): Promise<boolean>;
  /** Gives a stream up. @returns false when the lease is lost, or it is not what it was when it was taken. */
  stop(tx: TenantTransaction, lease: StreamLease, stream: AuditStream, problem: string): Promise<boolean>;
  release(lease: StreamLease): Promise<void>;
}
