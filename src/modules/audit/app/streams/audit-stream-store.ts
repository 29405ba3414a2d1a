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
  readonly sealedSecret: Buffer;
  readonly replay?: StreamReplay;
}

/** What became of an attempt. */
export type DeliveryEnd =
  | { readonly delivered: true; readonly from: number; readonly to: number; readonly replayId?: string }
  | { readonly delivered: false; readonly problem: string; readonly retryInMs: number; readonly stop: boolean };

/** Port: keeps streams, their replays, and where each of them is. */
export interface AuditStreamStore {
  insert(tx: TenantTransaction, stream: AuditStream, sealedSecret: Buffer): Promise<void>;
  find(tx: TenantTransaction, streamId: string): Promise<AuditStream | undefined>;
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly AuditStream[]>;
  /** Sets the state and forgets failures. @returns false where it is in none of `from` any more. */
  setState(
    tx: TenantTransaction,
    streamId: string,
    from: readonly AuditStream['state'][],
    to: AuditStream['state'],
  ): Promise<boolean>;
  /** Rows that the log has. */
  logSize(tx: TenantTransaction): Promise<number>;
  addReplay(tx: TenantTransaction, replay: StreamReplay): Promise<void>;
  replays(tx: TenantTransaction, streamId: string): Promise<readonly StreamReplay[]>;
  /** Streams of all organizations that have something to send and that nobody holds. */
  due(limit: number): Promise<readonly { organizationId: string; streamId: string }[]>;
  /** Takes a stream, or keeps it. @returns undefined where another process holds it or it is not active. */
  hold(lease: StreamLease): Promise<HeldStream | undefined>;
  /** Moves on, or notes a failure; also prolongs the lease. @returns false when the lease is lost. */
  end(lease: StreamLease, end: DeliveryEnd): Promise<boolean>;
  release(lease: StreamLease): Promise<void>;
}
