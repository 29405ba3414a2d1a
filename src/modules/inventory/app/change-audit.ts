import type { ChangeHashes } from '../../../kernel/change-hashes.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** On whose behalf a change is made. Established by the edge, never taken from the request's content. */
export interface ChangeOrigin {
  /** Request id: key of the audit record. */
  readonly requestId: string;
  readonly traceId: string;
  readonly surface: 'admin' | 'worker' | 'command';
  readonly actorKind: 'key' | 'person' | 'system';
  readonly actor: string;
}

export interface InventoryChange {
  /** Operation by its canonical name, for example `feeds.upload`. */
  readonly operation: string;
  readonly rooftopIds?: readonly string[];
  readonly resourceIds: readonly string[];
  /** A code that says more about the outcome, for example why a run was held. */
  readonly reason?: string;
  /** Of what was changed, before and after; absent where no member of staff changed anything. */
  readonly hashes?: ChangeHashes;
}

/** Port: audits a change in the transaction that makes it, so that neither exists without the other. */
export interface ChangeAudit {
  record(tx: TenantTransaction, origin: ChangeOrigin, change: InventoryChange): Promise<void>;
}
