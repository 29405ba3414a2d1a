import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type {
  Organization,
  OrganizationEntry,
  OrganizationProfile,
  OrganizationState,
} from '../domain/organization.js';

/** Who decided a state, for its history. */
export interface StateChange {
  readonly state: OrganizationState;
  readonly author: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Port: organizations, their profiles and states. Every change is announced to every process when it commits. */
export interface OrganizationStore {
  /** As the organization that is to be. @throws Failure `input.invalid` for an id that was ever used. */
  insert(tx: TenantTransaction, profile: OrganizationProfile, change: StateChange): Promise<void>;
  /** That of the transaction; kept as it is until the transaction ends when it is asked for to be changed. */
  find(tx: TenantTransaction, purpose: 'read' | 'change'): Promise<Organization | undefined>;
  /** Puts the next version in force. */
  change(tx: TenantTransaction, version: number, profile: OrganizationProfile): Promise<void>;
  /** Puts a state in force and keeps it in the history. */
  setState(tx: TenantTransaction, version: number, change: StateChange): Promise<void>;
  /** States that the organization had, oldest first. */
  states(tx: TenantTransaction): Promise<readonly StateChange[]>;
  /** Rooftops that were handed over to another organization and are there still, with since when, in milliseconds. */
  departures(tx: TenantTransaction): Promise<ReadonlyMap<string, number>>;
  /** All organizations by id, those after `after`; only in a transaction of the platform. */
  list(
    tx: TenantTransaction,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly OrganizationEntry[]>;
}

export const ORGANIZATION_STORE = Symbol('OrganizationStore');
