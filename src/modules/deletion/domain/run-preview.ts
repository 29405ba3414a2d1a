import type { CategoryCutoffs, RetentionAction } from '../../../kernel/retention/category-cutoffs.js';
import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';

/** What a run would do with one table by one action, by the numbers. `going` is what the action takes: the record, or values of it. */
export interface PartPreview {
  readonly category: RetentionCategory;
  readonly action: RetentionAction;
  readonly part: string;
  /** Records that there are. */
  readonly records: number;
  /** Of these: over by the policy. What follows adds up to it. */
  readonly over: number;
  readonly going: number;
  readonly held: number;
  /** Needed by something else; they go when that goes in the same run, which is for deletion alone. */
  readonly inUse: number;
  /** Going, by rooftop. */
  readonly rooftops: Readonly<Record<string, number>>;
  readonly holds: Readonly<Record<string, number>>;
  readonly first: string | null;
  readonly last: string | null;
}

/** Everything that a run would do at one moment. */
export interface RunPreview {
  readonly parts: readonly PartPreview[];
  /** Actions of the policy that nobody carries out: of categories of which nothing is stored. */
  readonly left: readonly { readonly category: RetentionCategory; readonly action: RetentionAction }[];
  /** Records over, and those that go, in all parts. */
  readonly over: number;
  readonly going: number;
  readonly held: number;
  /** Root (RFC 9162 §2.1.1) over the keyed hashes of what goes, in the order in which it goes; hex. */
  readonly root: string;
  /** Where the rules of the policy were read: places of the rooftops and of the group. */
  readonly jurisdictions: readonly string[];
}

/** Records that go, by action; actions of which no table is part are absent. */
export function goingBy({ parts }: Pick<RunPreview, 'parts'>): Readonly<Partial<Record<RetentionAction, number>>> {
  const sums: Partial<Record<RetentionAction, number>> = {};
  for (const { action, going } of parts) sums[action] = (sums[action] ?? 0) + going;
  return sums;
}

/** The policy version that a run is bound to. */
export interface BoundPolicy {
  readonly policyId: string;
  readonly version: number;
  readonly contentHash: string;
}

/** What two people approve: nothing of a run that matters is outside of it. Times are milliseconds. */
export interface ApprovedContent {
  readonly organizationId: string;
  readonly runId: string;
  readonly requester: { readonly actorKind: string; readonly actor: string };
  readonly reason: string;
  readonly categories: readonly string[] | null;
  readonly beyondBrake: string | null;
  readonly asOf: number;
  readonly expiresAt: number;
  readonly policy: BoundPolicy;
  readonly cutoffs: readonly CategoryCutoffs[];
  readonly preview: RunPreview;
  /** SHA-256 of the sketch of what is over, hex. */
  readonly sketchHash: string;
}

/** SHA-256 of all that is approved, hex. */
export const previewHashOf = (content: ApprovedContent): string => hash('sha256', canonicalJson(content), 'hex');

/** Whether the rules still say what they said when the run was previewed. */
export const sameCutoffs = (a: readonly CategoryCutoffs[], b: readonly CategoryCutoffs[]): boolean =>
  canonicalJson(a) === canonicalJson(b);
