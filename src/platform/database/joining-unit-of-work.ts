import type {
  AfterCommit,
  RequestTransactions,
  RequestTransactionSteps,
} from '../../kernel/ports/request-transactions.js';
import type { TenantTransaction, UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { databaseFailure } from './database-failure.js';
import { RequestScope } from './request-scope.js';

/** The unit of work of the product: part of the transaction of a request where there is one, a transaction of its own elsewhere. */
export class JoiningUnitOfWork implements UnitOfWork {
  constructor(private readonly apart: UnitOfWork) {}

  async withTenant<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const request = RequestScope.current();
    if (request === undefined) return this.apart.withTenant(organizationId, work);
    try {
      return await request.join(organizationId, work);
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}

/**
 * Opens the transactions of requests, on connections of their own: a request that holds one may still read elsewhere without
 * waiting for another such request.
 */
export class PrismaRequestTransactions implements RequestTransactions {
  constructor(
    private readonly own: UnitOfWork,
    private readonly warn: (message: string) => void,
  ) {}

  async run<T>(organizationId: string, steps: RequestTransactionSteps<T>, request: () => Promise<T>): Promise<T> {
    const scope = new RequestScope<T>((work) => this.own.withTenant(organizationId, work), steps);
    const answer = await scope.run(request);
    for (const work of scope.afterCommit) {
      await work().catch((error: unknown) => {
        this.warn(`what follows a committed change failed: ${String(error)}`);
      });
    }
    return answer;
  }
}

/** Puts work off until the transaction of the request, where there is one, is committed. */
export class RequestAfterCommit implements AfterCommit {
  async run(work: () => Promise<void>): Promise<void> {
    const request = RequestScope.current();
    if (request === undefined) await work();
    else request.afterCommit.push(work);
  }
}
