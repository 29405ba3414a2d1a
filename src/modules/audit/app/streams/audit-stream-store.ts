import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { AuditStream, StreamReplay } from './audit-stream.js';

/** What can be changed of a stream. Its format cannot: the same rows under the same id have the same bytes. */
export type StreamChange = Pick<AuditStream, 'name' | 'url'>;

/** Port: keeps streams and their replays, for those who manage them. */
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
  /**
   * Sets name and address, and keeps the place in the log. For another address failures are forgotten, and what is being delivered to
   * the one before does not count any more. @returns false where another version than `before` is in force.
   */
  change(tx: TenantTransaction, before: AuditStream, next: StreamChange): Promise<boolean>;
  /**
   * Signs with another secret, and with the one before until then.
   * @param until milliseconds since the Unix epoch; null: the one before ends at once
   * @returns false where another version than `before` is in force.
   */
  rotate(tx: TenantTransaction, before: AuditStream, sealedSecret: Buffer, until: number | null): Promise<boolean>;
  /** Rows that the log has. */
  logSize(tx: TenantTransaction): Promise<number>;
  addReplay(tx: TenantTransaction, replay: StreamReplay): Promise<void>;
  replays(tx: TenantTransaction, streamId: string): Promise<readonly StreamReplay[]>;
}
