import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { type HeldRecord, heldRecordOf } from '../domain/held-record.js';
import type { LegalHold } from '../domain/legal-hold.js';
import { present } from './hold-parts.js';
import type { CoverageNow, HoldPage, HoldStore } from './hold-store.js';

/** Use cases: what is held, by which matters, and what each covered and covers. */
export class ReadHolds {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly holds: HoldStore,
  ) {}

  /** Newest first, released ones included. */
  list(organizationId: string, page: HoldPage): Promise<readonly LegalHold[]> {
    return this.in(organizationId, (tx) => this.holds.list(tx, page));
  }

  /** @throws Failure `resource.not_found` */
  get(organizationId: string, holdId: string): Promise<LegalHold> {
    return this.in(organizationId, (tx) => this.found(tx, holdId));
  }

  /** Holds that bind and cover a record; none where there is no such record. */
  onRecord(organizationId: string, { category, recordId }: HeldRecord): Promise<readonly LegalHold[]> {
    return this.in(organizationId, (tx) => this.holds.onRecord(tx, category, recordId));
  }

  /** Looks over every governed table. @throws Failure `resource.not_found`; `limit.busy` when that takes too long. */
  coverageNow(organizationId: string, holdId: string): Promise<CoverageNow> {
    return this.in(organizationId, async (tx) => {
      await this.found(tx, holdId);
      return this.holds.coverageNow(tx, holdId);
    });
  }

  /**
   * Some pages of the records that it covered when it was counted, in the order of the tree.
   * @param from number of the first page
   * @returns `next`: the page to go on with, null at the end
   * @throws Failure `resource.not_found`; `state.conflict` while it is counted: come again
   */
  records(
    organizationId: string,
    holdId: string,
    { from, pages }: { readonly from: number; readonly pages: number },
  ): Promise<{ readonly records: readonly HeldRecord[]; readonly next: number | null }> {
    return this.in(organizationId, async (tx) => {
      if ((await this.found(tx, holdId)).count === null)
        throw new Failure('state.conflict', { retryAfterMs: 5000, auditReason: 'hold_counting' });
      const records: HeldRecord[] = [];
      for (let page = from; page < from + pages; page++) {
        const listed = await this.holds.page(tx, holdId, page);
        if (listed === undefined) return { records, next: null };
        records.push(...listed.map(heldRecordOf));
      }
      const more = (await this.holds.page(tx, holdId, from + pages)) !== undefined;
      return { records, next: more ? from + pages : null };
    });
  }

  private async found(tx: TenantTransaction, holdId: string): Promise<LegalHold> {
    return present(await this.holds.find(tx, holdId, 'read'));
  }

  private in<T>(organizationId: string, work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.unitOfWork.withTenant(organizationId, work);
  }
}
