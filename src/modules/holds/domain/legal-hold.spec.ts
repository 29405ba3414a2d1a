import { expect, it } from 'vitest';
import { type LegalHold, stateOf } from './legal-hold.js';

const hold: LegalHold = {
  ...{ holdId: 'hold.1', matter: 'Roe', reason: 'claim', placedBy: 'staff.1', placedAt: 0, count: null, release: null },
  ...{ rooftopIds: null, categories: null, subjects: null, recordIds: null, from: null, until: null },
};

it('A hold is counted, active, released and cooling, and free when that is over', () => {
  const count = { covered: 0, root: new Uint8Array(32), countedAt: 1 };
  const release = { releasedAt: 10, releasedBy: 'staff.2', reason: 'settled', freeFrom: 20 };
  expect(stateOf(hold, 5)).toBe('counting');
  expect(stateOf({ ...hold, count }, 5)).toBe('active');
  expect(stateOf({ ...hold, count, release }, 19)).toBe('cooling');
  expect(stateOf({ ...hold, count, release }, 20)).toBe('released');
});
