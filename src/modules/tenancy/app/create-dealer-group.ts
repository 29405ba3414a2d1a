import { randomBytes } from 'node:crypto';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { DealerGroup, Rooftop } from '../domain/dealer-group.js';
import type { RooftopSettings } from '../domain/rooftop-settings.js';

/** A rooftop to be. What its settings leave out is decided by the defaults. */
export interface NewRooftop extends Omit<Rooftop, 'idSeed' | 'updatedAt' | 'settings'> {
  readonly settings: Partial<RooftopSettings>;
}
export interface NewDealerGroup extends Omit<DealerGroup, 'rooftops' | 'policy' | 'updatedAt'> {
  readonly rooftops: readonly NewRooftop[];
}

/** Port: where groups and rooftops are written. */
export interface DealerGroupStore {
  insertOrganization(tx: TenantTransaction, group: NewDealerGroup): Promise<void>;
  insertRooftop(tx: TenantTransaction, rooftop: NewRooftop, idSeed: Uint8Array): Promise<void>;
}

/** Creates an organization with its rooftops in one transaction; each rooftop gets its secret id seed. */
export class CreateDealerGroup {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: DealerGroupStore,
  ) {}

  async run(group: NewDealerGroup): Promise<void> {
    await this.unitOfWork.withTenant(group.organizationId, async (tx) => {
      await this.store.insertOrganization(tx, group);
      for (const rooftop of group.rooftops) await this.store.insertRooftop(tx, rooftop, randomBytes(16));
    });
  }
}
