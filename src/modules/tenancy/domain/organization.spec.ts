import { expect, it } from 'vitest';
import { mayBecome, ORGANIZATION_STATES } from './organization.js';

it('leaves the service only through suspension, comes back only from there, and never from off-boarding', () => {
  const ways = ORGANIZATION_STATES.flatMap((from) =>
    ORGANIZATION_STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(ways).toEqual(['active → suspended', 'suspended → active', 'suspended → offboarded']);
});
