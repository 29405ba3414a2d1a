import type { TSchema } from '@sinclair/typebox';
import type { Caller } from '../kernel/caller.js';
import type { JsonBytes } from '../kernel/json-bytes.js';
import type { RetentionCategory } from '../kernel/retention/retention-categories.js';
import type { TraceContext } from '../kernel/trace-context.js';
import type { DealerGroup, ReachableRooftops } from '../modules/tenancy/index.js';

/** DAP data classes (security profile §6). The shaper refuses anything that is not classified. */
export type DataClass = 'public_business' | 'public_inventory' | 'protected_retail';

/** The safety metadata that DAP publishes for every tool and asks to be enforced (DAP-CORE-012). */
export interface OperationSafety {
  readonly effect: 'read' | 'read_with_authoritative_check';
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly publicAccess: 'allowed' | 'allowed_by_dealer_policy' | 'rate_limited_or_authenticated';
  readonly confirmation: 'none';
  readonly idempotency: 'inherent' | 'inherent_for_same_snapshot' | 'inherent_within_validity_window';
  readonly piiInput: 'none';
  readonly piiOutput: 'none' | 'public_business_contact_only';
  readonly retention: 'none' | 'operational_log';
  readonly reversible: true;
  readonly legalOrFinancialCommitment: false;
  readonly freshnessAuthority: string;
  readonly audit: 'access_log' | 'authoritative_read_event';
}

/** One row of the operation table. Tools, manifest entries, documents and the permission matrix are made from it. */
export interface Operation {
  /** Canonical dotted name: the identity in policy, limits and audit, whatever name a client used. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly profile: string;
  readonly scopes: readonly string[];
  readonly access: 'public' | 'granted';
  readonly dataClass: DataClass;
  /** What a call leaves behind. */
  readonly retentionCategory: RetentionCategory;
  readonly rateClass: 'read';
  readonly safety: OperationSafety;
  readonly inputSchema: TSchema;
  readonly outputSchema: TSchema;
  /** Whether a group offers it at all, by its settings; absent means always. What is not offered is neither listed nor run. */
  offered?(group: DealerGroup): boolean;
  /** Which tenant data the (already valid) input aims at. Targets are never authority. */
  targetsOf(input: unknown): OperationTargets;
  /** @throws Failure with the reason; the pipeline records it. */
  run(call: OperationCall): Promise<Answer>;
}

export interface OperationTargets {
  /** As named in the input; undefined where the endpoint decides. */
  readonly organizationId: string | undefined;
  /** Named rooftops; empty means all that the caller may see. */
  readonly rooftopIds: readonly string[];
  /** What the caller asks for, where the operation takes a purpose. */
  readonly purpose?: string | undefined;
}

export interface OperationCall {
  readonly caller: Caller;
  /** The organization of the endpoint, after the decision. */
  readonly organizationId: string;
  /** The rooftops that the decision leaves within reach: where the input names none, the answer is about these. */
  readonly rooftops: ReachableRooftops;
  readonly input: unknown;
  readonly traceId: string;
  /** The caller's trace, to be carried into upstream calls (`upstreamTraceHeaders`). */
  readonly trace?: TraceContext | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What an operation answers: serialised once, with what the audit record must name. */
export interface Answer {
  readonly body: JsonBytes;
  readonly rooftopIds: readonly string[];
  readonly resourceIds: readonly string[];
  /** True when the body was put together from checked parts and only its envelope is new (decision record 0006). */
  readonly preValidated: boolean;
  /** Until when the answer may be cached and by whom; absent means not at all. */
  readonly cache?: { readonly ttlMs: number; readonly scope: 'public' | 'private' };
}

/** Metadata that every public read of this version shares. */
export const PUBLIC_READ: Omit<OperationSafety, 'freshnessAuthority' | 'publicAccess' | 'idempotency' | 'piiOutput'> = {
  effect: 'read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  confirmation: 'none',
  piiInput: 'none',
  retention: 'none',
  reversible: true,
  legalOrFinancialCommitment: false,
  audit: 'access_log',
};
