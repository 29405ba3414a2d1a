import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import type { BoundPolicy } from './run-preview.js';

/** What two people approve for every day: nothing that bounds it is outside of it. Times are milliseconds. */
export interface StandingContent {
  readonly organizationId: string;
  readonly standingId: string;
  /** Under another version it stands no more. */
  readonly policy: BoundPolicy;
  readonly categories: readonly string[];
  /** Most records that go in one run. */
  readonly recordCap: number;
  readonly reason: string;
  readonly requester: { readonly actorKind: string; readonly actor: string };
  readonly requestedAt: number;
  readonly expiresAt: number;
}

/** SHA-256 of all that is approved, hex. */
export const standingHashOf = (content: StandingContent): string => hash('sha256', canonicalJson(content), 'hex');

/** A standing approval as kept. */
export interface StandingApproval extends StandingContent {
  readonly contentHash: string;
  /** Undefined while it waits for people. */
  readonly approval:
    { readonly approvalId: string; readonly approvers: readonly string[]; readonly approvedAt: number } | undefined;
  readonly revoked: { readonly at: number; readonly by: string } | undefined;
}

export type StandingState = 'draft' | 'active' | 'revoked' | 'expired' | 'superseded';

/** Where it stands at a moment. @param active the policy that is in force; undefined: none is */
export function standingStateOf(
  standing: StandingApproval,
  active: BoundPolicy | undefined,
  now: number,
): StandingState {
  if (standing.revoked !== undefined) return 'revoked';
  if (standing.expiresAt <= now) return 'expired';
  if (active === undefined || !samePolicy(standing.policy, active)) return 'superseded';
  return standing.approval === undefined ? 'draft' : 'active';
}

/** What of a previewed run is held against a standing approval. */
export interface SweptRun {
  readonly categories: readonly string[] | null;
  readonly beyondBrake: string | null;
  readonly policy: BoundPolicy;
  /** Records that go. */
  readonly going: number;
}

/** Why a run is not carried, and waits for people like any other. */
export type StandingRefusal = Exclude<StandingState, 'active'> | 'policy' | 'categories' | 'beyond_brake' | 'over_cap';

/** Whether a standing approval carries a run; undefined when it does. What is not known to be within it is not. */
export function refusalOfRun(
  standing: StandingApproval,
  run: SweptRun,
  active: BoundPolicy | undefined,
  now: number,
): StandingRefusal | undefined {
  const state = standingStateOf(standing, active, now);
  if (state !== 'active') return state;
  if (!samePolicy(standing.policy, run.policy)) return 'policy';
  if (run.categories === null || !run.categories.every((one) => standing.categories.includes(one))) return 'categories';
  if (run.beyondBrake !== null) return 'beyond_brake';
  return run.going <= standing.recordCap ? undefined : 'over_cap';
}

const samePolicy = (a: BoundPolicy, b: BoundPolicy): boolean =>
  a.policyId === b.policyId && a.version === b.version && a.contentHash === b.contentHash;
