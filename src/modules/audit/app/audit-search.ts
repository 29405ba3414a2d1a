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

/** What agents asked of a rooftop on one day: counts, and nothing of what they typed. */
export interface ReceiptLine {
  /** UTC date. */
  readonly day: string;
  readonly operation: string;
  readonly outcome: string;
  readonly calls: number;
}

/** How often something stands in the records of a search. Times are RFC 3339 in UTC with microseconds. */
export interface Tally {
  readonly records: number;
  readonly first: string;
  readonly last: string;
}

/** What a search finds, added up. Lists hold the most frequent entries; the totals say how many there are. */
export interface AuditSummary {
  readonly records: number;
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
  /** By day, tool and outcome. */
  receipts(
    organizationId: string,
    filter: Pick<AuditFilter, 'rooftopId' | 'from' | 'to'>,
    page: { readonly after?: Omit<ReceiptLine, 'calls'>; readonly limit: number },
  ): Promise<readonly ReceiptLine[]>;
  /** @param most entries of each list */
  sumUp(organizationId: string, filter: AuditFilter, most: number): Promise<AuditSummary>;
}

export const AUDIT_SEARCH = Symbol('AuditSearch');
