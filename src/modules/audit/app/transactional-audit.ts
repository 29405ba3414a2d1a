import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** Port: audits a change in the transaction that makes it, so that neither exists without the other. */
export interface TransactionalAudit {
  /** Several records cost one statement. @throws Error when one belongs to another organization than the transaction. */
  recordInTransaction(tx: TenantTransaction, ...records: [AuditRecord, ...AuditRecord[]]): Promise<void>;
  /**
   * Records for another organization that the change concerns as well: where the platform acts, or two organizations. Each has
   * a record of its own, with an id of its own; both become durable with the change.
   */
  recordBesides(tx: TenantTransaction, record: AuditRecord): Promise<void>;
}

/** Who made a change and under which request: the part of a record that the caller of a use case knows. */
export type ChangeOrigin = Pick<AuditRecord, 'eventId' | 'traceId' | 'surface' | 'actorKind' | 'actor' | 'client'>;

export const TRANSACTIONAL_AUDIT = Symbol('TransactionalAudit');
