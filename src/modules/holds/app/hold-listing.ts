/** Port: the records that a hold covers, where they are more than one transaction lists. */
export interface HoldListing {
  /**
   * Lists them page by page, each page in a transaction of its own, and goes on where an earlier attempt stopped.
   * @param signal aborted when the process stops: the page under way is finished
   * @returns false when it was stopped, or somebody else lists the same hold
   */
  write(organizationId: string, holdId: string, signal: AbortSignal): Promise<boolean>;
  /** The leaves of what is listed so far, page by page, 32 bytes a record (`HoldRoot`). */
  leaves(organizationId: string, holdId: string): AsyncIterable<Uint8Array>;
}

/** Holds that are not counted yet, of every organization, the oldest first. */
export interface UncountedHolds {
  uncounted(limit: number): Promise<readonly { readonly organizationId: string; readonly holdId: string }[]>;
}
