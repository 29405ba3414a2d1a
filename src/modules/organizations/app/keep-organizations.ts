import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { ChangeOrigin } from '../../audit/index.js';
import type { Organization, OrganizationEntry, OrganizationProfile, OrganizationStore } from '../../tenancy/index.js';
import type { PlatformChanges } from './platform-change.js';
import { presentOrganization } from './present-organization.js';

/** Use cases: operators see all organizations, each organization sees and changes itself. */
export class KeepOrganizations {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly organizations: OrganizationStore,
    private readonly changes: PlatformChanges,
  ) {}

  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly OrganizationEntry[]> {
    return this.unitOfWork.withTenant(PLATFORM_TENANT, (tx) => this.organizations.list(tx, page));
  }

  /** @throws Failure `resource.not_found`. */
  find(organizationId: string): Promise<Organization> {
    if (organizationId === PLATFORM_TENANT) return Promise.reject(absent());
    return this.unitOfWork.withTenant(organizationId, async (tx) =>
      presentOrganization(await this.organizations.find(tx, 'read')),
    );
  }

  /**
   * @param expectedVersions versions that the caller takes to be in force (If-Match); undefined when it named none
   * @param by of an operator the change is in both trails
   * @throws Failure `input.precondition`, `resource.not_found`.
   */
  async change(
    organizationId: string,
    named: Partial<OrganizationProfile>,
    expectedVersions: readonly number[] | undefined,
    by: { readonly origin: ChangeOrigin; readonly operator: boolean },
  ): Promise<Organization> {
    if (expectedVersions === undefined) throw new Failure('input.precondition', { reason: 'precondition_required' });
    if (organizationId === PLATFORM_TENANT) throw absent();
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const current = presentOrganization(await this.organizations.find(tx, 'change'));
      if (!expectedVersions.includes(current.version))
        throw new Failure('input.precondition', { reason: 'precondition_failed' });
      const { name, legalName, website, timezone, currency, country, version } = current;
      const profile = { name, legalName, website, timezone, currency, country, ...named };
      await this.organizations.change(tx, version + 1, profile);
      const changed = presentOrganization(await this.organizations.find(tx, 'read'));
      const change = {
        operation: 'organizations.change',
        resourceIds: [`${organizationId}@${changed.version}`],
        hashes: changeHashes(current, changed),
      };
      if (by.operator) await this.changes.record(tx, by.origin, [organizationId], change);
      else await this.changes.recordOwn(tx, by.origin, change);
      return changed;
    });
  }
}

const absent = (): Failure => new Failure('resource.not_found', { reason: 'not_found' });
