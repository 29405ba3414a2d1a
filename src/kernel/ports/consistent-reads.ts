import type { TenantTransaction } from './unit-of-work.js';

/** Port: reads one tenant as it is at one moment, whatever is committed meanwhile. */
export interface ConsistentReads {
  /**
   * Runs `work` in one REPEATABLE READ transaction; it changes nothing.
   * @param forMs how long it may take; two minutes unless told otherwise
   * @throws Failure `limit.busy` when no connection is free in time, `upstream.unavailable` when the database is away.
   */
  readTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>, forMs?: number): Promise<T>;
}

export const CONSISTENT_READS = Symbol('ConsistentReads');
