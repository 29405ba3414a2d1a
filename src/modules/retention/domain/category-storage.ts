import type { FileKind } from '../../../kernel/ports/content-store.js';
import type { RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import type { ClockBasis } from '../../../kernel/retention/retention-categories.js';

/** Why rows of a table are under no guard of legal holds. Closed: anything else is decided, written here, and reviewed. */
export const EXEMPTIONS = {
  organization: 'Configuration in force. It lives as long as the organization does and is never disposed of.',
  log: 'Part of the append-only audit log. Nobody changes or deletes it; it goes with the pruning of the log alone, which leaves held records.',
  evidence: 'Evidence of holds, deletions and requests. Nobody changes or deletes it.',
  working:
    'Working state that ends by itself within days and that only the service can read. Revoking must work under a hold, too. What happened is in the audit trail.',
  derived: 'Worked out from other tables, and made again from them at any time.',
  machinery: 'Knows no record of an organization: positions, versions and marks of the service itself.',
} as const;
export type Exemption = keyof typeof EXEMPTIONS;

/** Where the records of one category are, and what keeps holds from being passed there. */
export interface CategoryStorage {
  /** What is stored, in words for compliance staff; or that nothing is, and why. */
  readonly stored: string;
  readonly isStored: boolean;
  /** When the time of its records may begin to count. */
  readonly clocks: readonly ClockBasis[];
  /** What rules may do to its records; the database carries it out (`governed_tables`, held against this). None: nothing is stored. */
  readonly actions: readonly RetentionAction[];
  /** Tables under the guard: runs of retention dispose of their rows, and nothing passes a hold. */
  readonly governed: readonly string[];
  /** Tables that are under none, and why. */
  readonly exempt: Readonly<Record<string, Exemption>>;
  /** Files that go after rows of these tables. */
  readonly files: readonly FileKind[];
}

/** Why no rule can name an action for a category of which the service stores something. */
export const ACTIONS_NOT_CARRIED_OUT: Readonly<Record<RetentionAction, string>> = {
  delete: 'nothing of the category is deleted',
  redact: 'only records of the audit trail are redacted: what is taken out of others could not be told from tampering',
  anonymise:
    'no record of the category names persons that a mark could stand for; those of the audit trail are redacted',
  shred: 'no record has a key of its own that could be destroyed, so that its copies would go with it',
};
