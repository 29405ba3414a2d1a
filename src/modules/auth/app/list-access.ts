import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { GrantRecord, GroupDelegation } from '../domain/grant-record.js';
import type { GrantStore } from './grant-store.js';

/** Use cases: what an organization has allowed, ended ones included. */
export class ListAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: GrantStore,
  ) {}

  /** The newest version of each grant. */
  grants(organizationId: string): Promise<readonly GrantRecord[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx));
  }

  delegations(organizationId: string): Promise<readonly GroupDelegation[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.listDelegations(tx));
  }
}
