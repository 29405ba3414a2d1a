import { newDelegationId } from '../../../kernel/ids.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { DealerDirectory } from '../../tenancy/index.js';
import type { GroupDelegation } from '../domain/grant-record.js';
import type { AccessChanges } from './access-change.js';
import type { GrantStore } from './grant-store.js';
import { checkRequestedAccess } from './requested-rooftops.js';

export type RequestedDelegation = Pick<GroupDelegation, 'grantee' | 'rooftops' | 'scopes' | 'expiresAt'>;

/** Use case: records that a subject may be granted more than rooftops one by one (DAP security profile §4). */
export class RecordDelegation {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: GrantStore,
    private readonly directory: DealerDirectory,
    private readonly changes: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws Failure `input.invalid` for unknown rooftops or an end in the past. */
  async run(organizationId: string, requested: RequestedDelegation, origin: ChangeOrigin): Promise<GroupDelegation> {
    const { rooftops, expiresAt } = requested;
    const rooftopIds = rooftops === 'all' ? [] : rooftops;
    await checkRequestedAccess(this.directory, organizationId, { rooftopIds, expiresAt }, this.clock.now());
    const delegation: GroupDelegation = {
      ...requested,
      delegationId: newDelegationId(),
      issuer: origin.actor ?? 'unnamed',
      revokedAt: null,
    };
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.store.insertDelegation(tx, delegation);
      const resourceIds = [delegation.delegationId];
      await this.changes.record(tx, origin, { operation: 'delegations.create', rooftopIds, resourceIds });
      return delegation;
    });
  }
}
