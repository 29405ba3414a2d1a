import type { TenantTransaction } from './unit-of-work.js';

/** How a request's transaction is opened and closed. Both run in it, for the organization that it was opened for. */
export interface RequestTransactionSteps<T> {
  /**
   * False while the transaction must not be opened yet, because a body is still being received: units of work are then on
   * their own. It is opened before the request begins when this is true at once, else by its first unit of work afterwards.
   */
  readonly mayOpen: () => boolean;
  /** First in the transaction. @returns what the request has been answered with before: then it is not run again. */
  readonly opening: (tx: TenantTransaction) => Promise<T | undefined>;
  /** Last in the transaction, when the request has been answered. */
  readonly closing: (tx: TenantTransaction, answer: T) => Promise<void>;
}

/**
 * Port: one transaction for everything that a request writes (decision record 0035). While `request` runs, every
 * `UnitOfWork.withTenant` called in it joins the transaction of the request; `ConsistentReads` never do.
 */
export interface RequestTransactions {
  /**
   * Commits when `request` and `closing` resolve, rolls everything back when one rejects.
   * @throws Failure as `UnitOfWork.withTenant`; `limit.busy` when the transaction was opened late and an answer was there.
   */
  run<T>(organizationId: string, steps: RequestTransactionSteps<T>, request: () => Promise<T>): Promise<T>;
}

export const REQUEST_TRANSACTIONS = Symbol('RequestTransactions');

/** Port: what must not happen before what a request wrote is committed, such as waking those who will read it. */
export interface AfterCommit {
  /** At once where no request's transaction is open. What fails afterwards is logged: the answer stands. */
  run(work: () => Promise<void>): Promise<void>;
}

export const AFTER_COMMIT = Symbol('AfterCommit');
