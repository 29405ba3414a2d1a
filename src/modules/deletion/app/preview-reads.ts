import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';

/** Port: reads of one tenant in a transaction that the database itself keeps from writing. */
export interface PreviewReads {
  /** One REPEATABLE READ, READ ONLY transaction. @throws Failure as `ConsistentReads.readTenant` */
  readOnly<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T>;
}
