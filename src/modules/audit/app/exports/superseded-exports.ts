import { newRequestId } from '../../../../kernel/ids.js';
import type { TenantTransaction, UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { ChangeOrigin } from '../transactional-audit.js';
import type { AuditExportStore } from './audit-export-store.js';
import type { ExportAudit } from './export-audit.js';

const AT_ONCE = 100;

/**
 * What redactions do to exports (decision record 0053). The database ends every export that holds what is erased, in the
 * transaction that erases it; here it is recorded, and the pieces are taken afterwards.
 */
export class SupersededExports {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: Pick<AuditExportStore, 'supersededBy' | 'superseded' | 'takeSuperseded'>,
    private readonly audit: ExportAudit,
  ) {}

  /** Records each export that the redaction of this transaction ended. @returns their ids */
  async record(tx: TenantTransaction, redactionId: string, origin: ChangeOrigin): Promise<readonly string[]> {
    const exportIds = await this.store.supersededBy(tx, redactionId);
    for (const exportId of exportIds)
      await this.audit.superseded(tx, exportId, redactionId, { ...origin, eventId: newRequestId() });
    return exportIds;
  }

  /** Takes the pieces of those that are due, of all organizations; what a hold keeps waits. @returns how many went */
  async remove(): Promise<number> {
    let removed = 0;
    for (const { organizationId, exportId } of await this.store.superseded(AT_ONCE)) {
      const taken = await this.unitOfWork.withTenant(organizationId, async (tx) => {
        const pieces = await this.store.takeSuperseded(tx, exportId);
        if (typeof pieces === 'number') await this.audit.removed(tx, exportId, pieces);
        return pieces;
      });
      if (typeof taken === 'number') removed++;
    }
    return removed;
  }
}
