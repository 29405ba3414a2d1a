/** What an audit record says. Times are RFC 3339 in UTC; `recordedAt` has microseconds. */
export interface FoundRecord {
  readonly eventId: string;
  readonly recordedAt: string;
  readonly occurredAt: string;
  readonly traceId: string;
  readonly surface: string;
  readonly operation: string;
  readonly profile: string | null;
  readonly actorKind: string;
  readonly actor: string | null;
  readonly client: string | null;
  readonly rooftopIds: readonly string[];
  readonly resourceIds: readonly string[];
  readonly decision: string;
  readonly reason: string | null;
  readonly policyVersion: string | null;
  readonly outcome: string;
  readonly failureCode: string | null;
  readonly purpose: string | null;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
}

/** All conditions hold at once; absent ones do not restrict. SQL `audit_condition` knows the same names. */
export interface AuditFilter {
  /** RFC 3339; the first instant of recording. */
  readonly from?: string;
  /** RFC 3339; the first instant that is not searched any more. */
  readonly to?: string;
  readonly traceId?: string;
  /** Erasable: what was redacted is not found any more. */
  readonly actor?: string;
  /** Erasable. */
  readonly client?: string;
  readonly operation?: string;
  readonly profile?: string;
  readonly surface?: string;
  readonly rooftopId?: string;
  readonly resourceId?: string;
  /** Whom or what a record is about: its actor, or one of its resources. */
  readonly subject?: string;
  readonly decision?: 'allow' | 'deny';
  readonly outcome?: 'succeeded' | 'failed' | 'denied';
  readonly policyVersion?: string;
}

/** Place of the last record of a page, newest first. */
export interface AuditPosition {
  readonly recordedAt: string;
  readonly eventId: string;
}

/** A rooftop and a period; its end is not included. */
export type ReceiptFilter = Required<Pick<AuditFilter, 'rooftopId' | 'from' | 'to'>>;

/** What agents asked of a rooftop on one day: counts, and nothing of what they typed. */
export interface ReceiptLine {
  /** UTC date. */
  readonly day: string;
  readonly operation: string;
  readonly outcome: string;
  readonly calls: number;
}

/**
 * A page of receipts: whole lines of whole days. Where counting a long period had to end early, `countedTo` is the first instant
 * that is not in it, always the beginning of a UTC day; undefined where the period was counted to its end or the page is full.
 */
export interface ReceiptPage {
  readonly lines: readonly ReceiptLine[];
  readonly countedTo?: string;
}

/** How often something stands in the records of a search. Times are RFC 3339 in UTC with microseconds. */
export interface Tally {
  readonly records: number;
  readonly first: string;
  readonly last: string;
}

/**
 * What a search finds, added up, newest first: all of it, or as much as one answer may count. Callers, operations and rooftops are
 * complete up to a thousand entries, resources are the most frequent ones; the totals say how many there are among the records counted.
 */
export interface AuditSummary {
  /** How many were counted. */
  readonly records: number;
  /** The oldest record counted, where there are older ones that were not; null where everything was. */
  readonly next: AuditPosition | null;
  readonly first: string | null;
  readonly last: string | null;
  readonly callersTotal: number;
  readonly callers: readonly (Tally & { actorKind: string; actor: string | null; client: string | null })[];
  readonly operations: readonly (Tally & { operation: string; outcome: string })[];
  readonly rooftopsTotal: number;
  readonly rooftops: readonly (Tally & { id: string })[];
  readonly resourcesTotal: number;
  readonly resources: readonly (Tally & { id: string })[];
}

/** Port: reading an organization's own trail. */
export interface AuditSearch {
  /** Newest first. */
  find(
    organizationId: string,
    filter: AuditFilter,
    page: { readonly after?: AuditPosition; readonly limit: number },
  ): Promise<readonly FoundRecord[]>;
  /**
   * By day, tool and outcome, oldest first.
   * @throws Failure `input.invalid` where one day alone takes longer than a question may
   */
  receipts(
    organizationId: string,
    filter: ReceiptFilter,
    page: { readonly after?: Omit<ReceiptLine, 'calls'>; readonly limit: number },
  ): Promise<ReceiptPage>;
  /**
   * Adds up the newest records behind `after`; `next` of the answer is `after` of the one that goes on. What all of them say together
   * is what the records of the whole search say, unless records are redacted or pruned meanwhile.
   * @param page.most resources listed
   * @throws Failure `input.invalid` where counting takes longer than a question may
   */
  sumUp(
    organizationId: string,
    filter: AuditFilter,
    page: { readonly after?: AuditPosition; readonly most: number },
  ): Promise<AuditSummary>;
}

export const AUDIT_SEARCH = Symbol('AuditSearch');
