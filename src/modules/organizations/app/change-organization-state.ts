import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { RevocationJournal } from '../../../kernel/ports/restore-journal.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type Clock, rfc3339 } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { EndAllAccess } from '../../auth/index.js';
import { mayBecome, type Organization, type OrganizationState, type OrganizationStore } from '../../tenancy/index.js';
import type { PlatformChanges } from './platform-change.js';
import { presentOrganization } from './present-organization.js';

/** Names of the operations, as routes and audit records have them. */
const OPERATIONS: Readonly<Record<OrganizationState, string>> = {
  active: 'organizations.resume',
  suspended: 'organizations.suspend',
  offboarded: 'organizations.offboard',
};

/**
 * Use case of operators: takes an organization out of service, brings it back, or off-boards it. One that is not served looks
 * like one that does not exist, within two seconds on every process: its keys open nothing, nor do its agents, and nothing of it
 * is published. Ids, history and audit records stay. Off-boarding also ends every credential, for good.
 */
export class ChangeOrganizationState {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly organizations: OrganizationStore,
    private readonly endAllAccess: EndAllAccess,
    private readonly changes: PlatformChanges,
    private readonly journal: RevocationJournal,
    private readonly clock: Clock,
  ) {}

  /** @throws Failure `resource.not_found`, `input.precondition` for a state that does not follow the one in force. */
  run(organizationId: string, state: OrganizationState, origin: ChangeOrigin): Promise<Organization> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const found = organizationId === PLATFORM_TENANT ? undefined : await this.organizations.find(tx, 'change');
      const current = presentOrganization(found);
      if (!mayBecome(current.state, state))
        throw new Failure('input.precondition', {
          reason: 'precondition_failed',
          auditReason: `organization_${current.state}`,
        });
      const at = this.clock.now();
      await this.organizations.setState(tx, current.version + 1, { state, author: origin.actor ?? 'forecourt', at });
      if (state === 'offboarded') await this.endAllAccess.run(tx, at);
      const changed = presentOrganization(await this.organizations.find(tx, 'read'));
      await this.changes.record(tx, origin, [organizationId], {
        operation: OPERATIONS[state],
        resourceIds: [`${organizationId}@${changed.version}`],
        hashes: changeHashes(current, changed),
      });
      if (state === 'offboarded')
        await this.journal.note(tx, { what: 'organization', id: organizationId, revokedAt: rfc3339(at) });
      return changed;
    });
  }
}
