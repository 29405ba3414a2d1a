/** Port: which organizations are served: there, and neither suspended nor off-boarded. */
export interface ServedOrganizations {
  /**
   * As it was at most two seconds ago.
   * @throws Failure `upstream.unavailable` when that cannot be known.
   */
  isServed(organizationId: string): Promise<boolean>;
}

export const SERVED_ORGANIZATIONS = Symbol('ServedOrganizations');
