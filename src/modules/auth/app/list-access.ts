import { Failure } from '../../../kernel/failure/failure.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { GrantRecord, GroupDelegation } from '../domain/grant-record.js';
import type { GrantPage, GrantStore } from './grant-store.js';

/** Use cases: what an organization has allowed, ended ones included. */
export class ListAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: GrantStore,
  ) {}

  /** The newest version of each grant. */
  grants(organizationId: string, page: GrantPage): Promise<readonly GrantRecord[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /** The newest version of one. @throws Failure `resource.not_found`. */
  grant(organizationId: string, grantId: string): Promise<GrantRecord> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => present(await this.store.find(tx, grantId)));
  }

  /** @throws Failure `resource.not_found`. */
  delegation(organizationId: string, delegationId: string): Promise<GroupDelegation> {
    return this.unitOfWork.withTenant(organizationId, async (tx) =>
      present(await this.store.findDelegation(tx, delegationId)),
    );
  }

  delegations(organizationId: string, page: GrantPage): Promise<readonly GroupDelegation[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.listDelegations(tx, page));
  }
}

function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}
