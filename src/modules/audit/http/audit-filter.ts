import { Failure } from '../../../kernel/failure/failure.js';
import { parseRfc3339 } from '../../../kernel/time.js';
import type { KeyRole } from '../../../kernel/caller.js';
import type { AuditFilter } from '../app/audit-search.js';
import type { AuditConditions } from './audit-search.dto.js';

/** What only auditors see of a record (audit-views.ts), and so only they may search by. */
const OF_BODIES = ['actor', 'client', 'resource_id'] as const;

/** The conditions of a request. @throws Failure `caller.role_forbidden`, `input.invalid` for an instant that does not exist. */
export function filterOf(query: Omit<AuditConditions, 'cursor' | 'limit' | 'after'>, role: KeyRole): AuditFilter {
  if (role !== 'auditor' && OF_BODIES.some((name) => query[name] !== undefined))
    throw new Failure('caller.role_forbidden');
  return withoutAbsent({
    ...periodOf(query),
    traceId: query.trace_id,
    actor: query.actor,
    client: query.client,
    operation: query.operation,
    profile: query.profile,
    surface: query.surface,
    rooftopId: query.rooftop_id,
    resourceId: query.resource_id,
    decision: query.decision,
    outcome: query.outcome,
    policyVersion: query.policy_version,
  });
}

/** @throws Failure `input.invalid` */
export function periodOf({ from, to }: { readonly from?: string; readonly to?: string }): AuditFilter {
  return withoutAbsent({
    from: from === undefined ? undefined : instantOf('/from', from),
    to: to === undefined ? undefined : instantOf('/to', to),
  });
}

function withoutAbsent(filter: Readonly<Record<string, string | undefined>>): AuditFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The text itself, when it is an instant that exists. @throws Failure `input.invalid` for a 30th of February. */
function instantOf(pointer: string, text: string): string {
  if (parseRfc3339(text) !== undefined) return text;
  const violation = { pointer, keyword: 'format', explanation: 'must be a date-time with offset' };
  throw new Failure('input.invalid', { violations: [violation] });
}
