import type { KeyedReply, KeyedWrite } from '../../../kernel/ports/keyed-writes.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** What names a write: organization, owner, operation and key. */
export type KeyName = Pick<KeyedWrite, 'owner' | 'operation' | 'key'>;

/** A write that has taken effect. */
export interface KeptReply {
  readonly fingerprint: Buffer;
  readonly reply: KeyedReply;
}

/** Port: keeps the replies of an organization's keyed writes. */
export interface IdempotencyStore {
  /** Takes the key until the transaction ends. @returns false while another transaction has it. */
  take(tx: TenantTransaction, name: KeyName): Promise<boolean>;
  find(tx: TenantTransaction, name: KeyName): Promise<KeptReply | undefined>;
  insert(tx: TenantTransaction, name: KeyName, requestId: string, kept: KeptReply): Promise<void>;
}

/** Port: forgets replies of all organizations that were kept long enough. */
export interface IdempotencySweep {
  /** @returns how many were deleted, at most `limit`, oldest first. */
  sweep(keptHours: number, limit: number): Promise<number>;
}
