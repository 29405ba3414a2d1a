import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { LegalHold, RequestedHold } from '../domain/legal-hold.js';

export type NewHold = RequestedHold & Pick<LegalHold, 'holdId' | 'placedBy'>;

/** Port: keeps the holds of one organization, and looks over every governed table for what they cover. */
export interface HoldStore {
  /**
   * Waits for the deletions of the organization that are under way and lets no other begin before the transaction ends. The first
   * thing of the transaction (decision record 0043). No later statement of it may take longer than counting may.
   * @throws Failure `limit.busy` when a deletion does not end in time
   */
  lockOutDeletions(tx: TenantTransaction): Promise<void>;
  insert(tx: TenantTransaction, hold: NewHold): Promise<LegalHold>;
  /**
   * Lists what the hold covers now, in the order of the tree.
   * @param take is given the leaves of what is listed, page by page, while the next pages are being listed
   * @returns false when there are more than `most` records, or finding them takes too long: then nothing is listed, whatever was taken
   */
  listAtOnce(tx: TenantTransaction, holdId: string, most: number, take: (leaves: Uint8Array) => void): Promise<boolean>;
  /** Ends the counting. @returns undefined where somebody else has, or listed more */
  finishCount(
    tx: TenantTransaction,
    holdId: string,
    count: { readonly covered: number; readonly root: Uint8Array },
  ): Promise<LegalHold | undefined>;
  find(tx: TenantTransaction, holdId: string, purpose: 'read' | 'change'): Promise<LegalHold | undefined>;
  /** By id, newest first. */
  list(tx: TenantTransaction, page: HoldPage): Promise<readonly LegalHold[]>;
  /** @param coolingMs how long it goes on binding */
  release(
    tx: TenantTransaction,
    holdId: string,
    release: { readonly by: string; readonly reason: string; readonly coolingMs: number },
  ): Promise<LegalHold | undefined>;
  /** Holds that bind and cover this record. None where there is no such record. */
  onRecord(tx: TenantTransaction, category: string, recordId: string): Promise<readonly LegalHold[]>;
  /**
   * What it covers now, and how many of the listed records it does not cover any more.
   * @throws Failure `limit.busy` when that takes too long to find out
   */
  coverageNow(tx: TenantTransaction, holdId: string): Promise<CoverageNow>;
  /** A page of the list; undefined behind its end. */
  page(tx: TenantTransaction, holdId: string, page: number): Promise<readonly string[] | undefined>;
}

export interface HoldPage {
  /** The last id of the page before. */
  readonly before?: string;
  readonly limit: number;
}

export interface CoverageNow {
  readonly coveredNow: number;
  readonly missing: number;
}
