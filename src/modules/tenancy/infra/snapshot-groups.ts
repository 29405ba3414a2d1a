import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AccessSnapshots, SnapshotSection, SnapshotSections } from '../../access-snapshots/index.js';
import { checkStoredGroup } from '../domain/check-stored-group.js';
import type { DealerGroup } from '../domain/dealer-group.js';
import type { GroupSnapshots } from './prisma-dealer-groups.js';

/** Groups with their rooftops, settings and policy, by heart: this module's section of the access snapshot. */
export class SnapshotGroups implements GroupSnapshots {
  private section: SnapshotSection<DealerGroup | null> | undefined;

  constructor(
    private readonly sections: SnapshotSections,
    private readonly snapshots: Pick<AccessSnapshots, 'of' | 'outdate'>,
  ) {}

  /** Says how a group is read. Once, before the first look-up. */
  register(load: (tx: TenantTransaction) => Promise<DealerGroup | undefined>): void {
    this.section = {
      name: 'tenancy.group',
      load: async (tx) => (await load(tx)) ?? null,
      validate: checkStoredGroup,
    };
    this.sections.register(this.section);
  }

  async of(organizationId: string): Promise<DealerGroup | undefined> {
    if (this.section === undefined) throw new Error('the section of groups is not registered');
    return (await this.snapshots.of(organizationId, this.section)) ?? undefined;
  }

  outdate(organizationId: string): void {
    this.snapshots.outdate(organizationId);
  }
}
