import { assert, constantFrom, integer, array, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NoticeStepKind } from './notice-delivery.js';
import { type NoticeTarget, targetsOf } from './notice-target.js';

const PERSONS = ['staff.a', 'staff.b', 'staff.c'];
const target = record({
  kind: constantFrom('webhook' as const, 'mail' as const),
  purpose: constantFrom('notices' as const, 'escalations' as const),
  personId: option(constantFrom(...PERSONS)),
});
const targets = array(target, { maxLength: 8 }).map((all) =>
  all.map((one, n): NoticeTarget => ({
    ...{ ...one, targetId: `t.${n}`, address: 'https://a.example', createdAt: 0, revokedAt: null },
  })),
);
const told = option(constantFrom(...PERSONS));
const kinds = constantFrom<NoticeStepKind[]>('notice', 'reminder', 'escalation');

describe('where a step of a notice is sent', () => {
  it('is never an address of another person, and each target once', () => {
    assert(
      property(kinds, told, targets, (kind, person, all) => {
        const found = targetsOf(kind, person, all);
        expect(found.filter(({ personId }) => personId !== null && personId !== person)).toEqual([]);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });

  it('is every target for notices of everybody or of the person, and none for escalations, while somebody may still answer', () => {
    assert(
      property(constantFrom('notice' as const, 'reminder' as const), told, targets, (kind, person, all) => {
        const ids = all
          .filter((one) => one.purpose === 'notices' && [null, person].includes(one.personId))
          .map(({ targetId }) => targetId);
        expect(targetsOf(kind, person, all).map(({ targetId }) => targetId)).toEqual(ids);
      }),
    );
  });

  it('is somewhere when nobody answered, as soon as anything is administered for everybody', () => {
    assert(
      property(told, targets, integer({ min: 0, max: 7 }), (person, all, at) => {
        const some = all[at];
        const with_ = some === undefined ? all : all.map((one) => (one === some ? { ...one, personId: null } : one));
        const found = targetsOf('escalation', person, with_);
        if (with_.some(({ personId }) => personId === null)) expect(found.length).toBeGreaterThan(0);
        if (with_.some((one) => one.purpose === 'escalations' && one.personId === null))
          expect(found.filter((one) => one.purpose === 'notices' && one.personId === null)).toEqual([]);
      }),
    );
  });
});
