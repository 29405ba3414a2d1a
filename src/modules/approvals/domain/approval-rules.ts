import type { ApprovalKind } from '../../../kernel/ports/approvals.js';

/** Roles that persons have. */
export type PersonRole = 'admin' | 'compliance' | 'auditor';

/** How many people stand behind an action, and who they may be. */
export interface ApprovalRule {
  /** Persons other than the requester who must approve, at least. */
  readonly approvers: number;
  /** Persons behind the action, at least; the requester is one of them only as a person. */
  readonly people: number;
  readonly approverRoles: readonly PersonRole[];
  /** Roles in which a requester counts as one of the people. */
  readonly requesterRoles: readonly PersonRole[];
}

const LEADING: readonly PersonRole[] = ['admin', 'compliance'];
const TWO: ApprovalRule = { approvers: 1, people: 2, approverRoles: LEADING, requesterRoles: LEADING };
/** What deletes: two who approve, and an auditor may be one of them, so that three persons are enough. */
const DELETION: ApprovalRule = { ...TWO, approvers: 2, approverRoles: ['admin', 'compliance', 'auditor'] };

/** The closed table (decision record 0033). */
export const APPROVAL_RULES: Readonly<Record<ApprovalKind, ApprovalRule>> = {
  'delegation.record': TWO,
  'policy.publish': TWO,
  'retention.activate': DELETION,
  'retention.run': DELETION,
  'retention.standing': DELETION,
  'hold.release': TWO,
  'audit.redact': TWO,
};

/** What a person is at this moment. */
export interface Standing {
  readonly personId: string;
  readonly role: PersonRole | null;
  readonly active: boolean;
  /** Who could have acted as this person: themselves, or who handed out the code that they signed in with. */
  readonly hand: string;
}

/** Why a person may not approve now. For the audit record. */
export type ApproverRefusal = 'own_request' | 'not_an_approver' | 'hand_of_requester';

/** Who asked; `standing` of a person who is known. Keys and the service itself never count as people. */
export interface Requester {
  readonly actorKind: string;
  readonly actor: string;
  readonly standing: Standing | undefined;
}

/** Why this person cannot approve what was asked for; undefined when they can. */
export function refusalOfApprover(
  rule: ApprovalRule,
  requester: Requester,
  person: Standing | undefined,
): ApproverRefusal | undefined {
  if (person?.personId === requester.actor) return 'own_request';
  if (person?.role == null || !person.active || !rule.approverRoles.includes(person.role)) return 'not_an_approver';
  return person.hand === handOf(requester) ? 'hand_of_requester' : undefined;
}

/** How many more people are needed. Only those count who could approve at this moment, and each hand counts once. */
export function missingPeople(rule: ApprovalRule, requester: Requester, approvers: readonly Standing[]): number {
  const counting = approvers.filter((person) => refusalOfApprover(rule, requester, person) === undefined);
  const hands = new Set(counting.map(({ hand }) => hand)).size;
  const people = hands + (countsAsPerson(rule, requester) ? 1 : 0);
  return Math.max(rule.approvers - hands, rule.people - people, 0);
}

function handOf({ actorKind, actor, standing }: Requester): string | undefined {
  return actorKind === 'person' ? (standing?.hand ?? actor) : undefined;
}

function countsAsPerson(rule: ApprovalRule, { actorKind, standing }: Requester): boolean {
  if (actorKind !== 'person' || standing?.role == null) return false;
  return standing.active && rule.requesterRoles.includes(standing.role);
}
