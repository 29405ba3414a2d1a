/**
 * A transaction in which one tenant is set for row-level security. Opaque on purpose: only infrastructure can look inside.
 */
export interface TenantTransaction {
  readonly organizationId: string;
}

/** Port: runs work in one READ COMMITTED transaction of one tenant. */
export interface UnitOfWork {
  /**
   * Commits when `work` resolves, rolls back when it rejects.
   * @throws Failure `limit.busy` when no connection is free in time, `upstream.unavailable` when the database is away.
   */
  withTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T>;
}

export const UNIT_OF_WORK = Symbol('UnitOfWork');
