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

/** All conditions hold at once; absent ones do not restrict. */
export interface AuditFilter {
  /** RFC 3339; the first instant of recording. */
  readonly from?: string;
  /** RFC 3339; the first instant that is not searched any more. */
  readonly to?: string;
  readonly eventId?: string;
  readonly traceId?: string;
  readonly actor?: string;
  readonly operation?: string;
  readonly rooftopId?: string;
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

/** Port: reading an organization's own trail. */
export interface AuditSearch {
  /** Newest first. */
  find(
    organizationId: string,
    filter: AuditFilter,
    page: { readonly after?: AuditPosition; readonly limit: number },
  ): Promise<readonly FoundRecord[]>;
  /** @param from @param to RFC 3339, `to` excluded */
  receipts(organizationId: string, rooftopId: string, from: string, to: string): Promise<readonly ReceiptLine[]>;
}

export const AUDIT_SEARCH = Symbol('AuditSearch');
