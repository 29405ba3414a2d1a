import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type {
  RooftopEntry,
  RooftopSettingsStore,
  SettingsVersion,
  SettingsVersionEntry,
} from './rooftop-settings-store.js';

/** Shows rooftops, their settings, and what these were before. */
export class RooftopSettingsHistory {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RooftopSettingsStore,
  ) {}

  /** By id; those that another organization has now are left out. */
  rooftops(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly RooftopEntry[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /** The version in force. @throws Failure `resource.not_found` */
  current(organizationId: string, rooftopId: string): Promise<SettingsVersion> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const { settingsVersion } = await this.requireRooftop(tx, rooftopId);
      return present(await this.store.version(tx, rooftopId, settingsVersion));
    });
  }

  /** @throws Failure `resource.not_found` */
  version(organizationId: string, rooftopId: string, version: number): Promise<SettingsVersion> {
    return this.unitOfWork.withTenant(organizationId, async (tx) =>
      present(await this.store.version(tx, rooftopId, version)),
    );
  }

  /** Newest first, without the documents. @throws Failure `resource.not_found` */
  versions(
    organizationId: string,
    rooftopId: string,
    page: { readonly before?: number; readonly limit: number },
  ): Promise<readonly SettingsVersionEntry[]> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.requireRooftop(tx, rooftopId);
      return this.store.versions(tx, rooftopId, page);
    });
  }

  private async requireRooftop(tx: TenantTransaction, rooftopId: string): Promise<RooftopEntry> {
    return present(await this.store.find(tx, rooftopId, 'read'));
  }
}

function present<T>(found: T | undefined): T {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}
