import type { DealerGroup } from '../domain/dealer-group.js';

/** Port: dealer groups and their rooftops. */
export interface DealerDirectory {
  /**
   * The group as it was at most two seconds ago; undefined when there is no such organization.
   * @throws Failure `upstream.unavailable` when the database is away and nothing is cached.
   */
  find(organizationId: string): Promise<DealerGroup | undefined>;
  /** The organization that `/mcp` serves: the configured default, else the only one; undefined where neither exists. */
  defaultOrganizationId(): Promise<string | undefined>;
  /** Forgets what is cached, after a change made by this process. */
  forget(organizationId: string): void;
}

/** Port: hears that a group was changed, by this process or another one, after the directory has forgotten it. */
export interface DealerChanges {
  onChange(listener: (organizationId: string) => void): void;
}

export const DEALER_CHANGES = Symbol('DealerChanges');
export const DEALER_DIRECTORY = Symbol('DealerDirectory');
