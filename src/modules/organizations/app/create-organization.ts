import { changeHashes } from '../../../kernel/change-hashes.js';
import { newOrganizationId } from '../../../kernel/ids.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { CreatedKey, CreateKey } from '../../auth/index.js';
import type { Organization, OrganizationProfile, OrganizationStore } from '../../tenancy/index.js';
import type { PlatformChanges } from './platform-change.js';
import { presentOrganization } from './present-organization.js';

export interface RequestedOrganization extends OrganizationProfile {
  readonly organizationId: string | undefined;
  /** Who holds the first key: a person or program. */
  readonly adminName: string;
}

/** An organization with the key of its first administrator: the only time that the token exists outside its holder's hands. */
export interface CreatedOrganization {
  readonly organization: Organization;
  readonly key: CreatedKey;
}

/** Use case of operators: an organization and the key of its first administrator, in one transaction. */
export class CreateOrganization {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly organizations: OrganizationStore,
    private readonly createKey: CreateKey,
    private readonly changes: PlatformChanges,
    private readonly clock: Clock,
  ) {}

  /** @throws Failure `input.invalid` for an id that was ever used. */
  run(
    { organizationId = newOrganizationId(), adminName, ...profile }: RequestedOrganization,
    origin: ChangeOrigin,
  ): Promise<CreatedOrganization> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const author = origin.actor ?? 'forecourt';
      await this.organizations.insert(tx, profile, { state: 'active', author, at: this.clock.now() });
      const first = { organizationId, name: adminName, role: 'admin', expiresAt: null } as const;
      const key = await this.createKey.mintIn(tx, first, author);
      const organization = presentOrganization(await this.organizations.find(tx, 'read'));
      await this.changes.record(tx, origin, [organizationId], {
        operation: 'organizations.create',
        resourceIds: [organizationId, key.keyId],
        hashes: changeHashes(null, organization),
      });
      return { organization, key };
    });
  }
}
