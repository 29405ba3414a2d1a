import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPROVAL_KINDS } from '../../../kernel/ports/approvals.js';
import { APPROVAL_RULES, missingPeople, refusalOfApprover, type Requester, type Standing } from './approval-rules.js';

const PEOPLE = ['p1', 'p2', 'p3', 'p4', 'p5'];
const kind = fc.constantFrom(...APPROVAL_KINDS);
const personOf = (personId: string): fc.Arbitrary<Standing> =>
  fc.record({
    personId: fc.constant(personId),
    role: fc.constantFrom('admin', 'compliance', 'auditor', null),
    active: fc.boolean(),
    hand: fc.oneof(fc.constant(personId), fc.constantFrom('p1', 'p2')),
  });
const crew = fc.tuple(...PEOPLE.map(personOf));
const approvers = fc.tuple(crew, fc.subarray(PEOPLE)).map(([all, ids]) => all.filter((p) => ids.includes(p.personId)));
const requester: fc.Arbitrary<Requester> = fc.oneof(
  personOf('p1').map((standing) => ({ actorKind: 'person', actor: 'p1', standing })),
  fc.constantFrom('key', 'system').map((actorKind) => ({ actorKind, actor: 'program', standing: undefined })),
);

const LEADER: Standing = { personId: 'p2', role: 'compliance', active: true, hand: 'p2' };
const ASKER: Requester = {
  actorKind: 'person',
  actor: 'p1',
  standing: { personId: 'p1', role: 'admin', active: true, hand: 'p1' },
};
const PROGRAM: Requester = { actorKind: 'key', actor: 'key1', standing: undefined };

describe('How many people stand behind an action', () => {
  it('is never complete with fewer than two distinct, active persons with a role, each with a hand of their own', () => {
    fc.assert(
      fc.property(kind, requester, approvers, (k, asker, persons) => {
        if (missingPeople(APPROVAL_RULES[k], asker, persons) > 0) return;
        const behind = [...persons, ...(asker.standing === undefined ? [] : [asker.standing])];
        const counting = behind.filter(({ active, role }) => active && role !== null);
        expect(new Set(counting.map(({ hand }) => hand)).size).toBeGreaterThanOrEqual(2);
        expect(persons.some(({ personId }) => personId !== asker.actor)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('never grows by somebody who loses role, activity or hand', () => {
    fc.assert(
      fc.property(kind, requester, approvers, fc.nat(4), (k, asker, persons, at) => {
        const rule = APPROVAL_RULES[k];
        const before = missingPeople(rule, asker, persons);
        for (const loss of [{ role: null }, { active: false }]) {
          const after = persons.map((person, i) => (i === at ? { ...person, ...loss } : person));
          expect(missingPeople(rule, asker, after)).toBeGreaterThanOrEqual(before);
        }
        expect(missingPeople(rule, asker, [])).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it('does not depend on the order of approvals, nor on one of them being there twice', () => {
    fc.assert(
      fc.property(kind, requester, approvers, (k, asker, persons) => {
        const rule = APPROVAL_RULES[k];
        const expected = missingPeople(rule, asker, persons);
        expect(missingPeople(rule, asker, persons.toReversed())).toBe(expected);
        expect(missingPeople(rule, asker, [...persons, ...persons])).toBe(expected);
      }),
    );
  });

  it('counts who asked as one of two only as a person, and two approvers always where something is deleted', () => {
    const other = { ...LEADER, personId: 'p3', hand: 'p3' };
    expect(missingPeople(APPROVAL_RULES['policy.publish'], ASKER, [LEADER])).toBe(0);
    expect(missingPeople(APPROVAL_RULES['policy.publish'], PROGRAM, [LEADER])).toBe(1);
    expect(missingPeople(APPROVAL_RULES['policy.publish'], PROGRAM, [LEADER, other])).toBe(0);
    expect(missingPeople(APPROVAL_RULES['retention.run'], ASKER, [LEADER])).toBe(1);
    expect(missingPeople(APPROVAL_RULES['retention.run'], ASKER, [LEADER, other])).toBe(0);
  });

  it.each([
    ['own_request', ASKER, { ...LEADER, personId: 'p1' }],
    ['not_an_approver', ASKER, { ...LEADER, role: 'auditor' as const }],
    ['not_an_approver', ASKER, { ...LEADER, active: false }],
    ['not_an_approver', ASKER, undefined],
    ['hand_of_requester', ASKER, { ...LEADER, hand: 'p1' }],
    [undefined, ASKER, LEADER],
    [undefined, PROGRAM, LEADER],
  ])('says %s of who may not approve', (refusal, asker, person) => {
    expect(refusalOfApprover(APPROVAL_RULES['delegation.record'], asker, person)).toBe(refusal);
  });
});
