import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verification } from '../../src/modules/audit/app/verification.js';
import { AuditLogWorld, insideOf } from '../support/audit-log-world.js';
import { TAMPERINGS, type Touched } from '../support/tampering.js';

const ORGANIZATION = 'org.tampered';
const ROWS = 300;
const TIMES = 100;
const LOCATED_WITHIN = 256;

let world: AuditLogWorld;
let kept: readonly string[];

beforeAll(async () => {
  world = await AuditLogWorld.open();
  kept = await world.grow(ORGANIZATION, ROWS, 60);
  await world.dropGuards();
  await world.admin.query('ANALYZE');
}, 120_000);

afterAll(() => world.close());

/** Numbers that are the same in every run: a case that fails can be looked at again. */
function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % bound;
  };
}

/** Whether one of the findings points to no more than 256 rows, with a touched one among them. */
const isLocated = ({ findings }: Verification, { from, to }: Touched): boolean =>
  findings.some((f) => f.to - f.from < LOCATED_WITHIN && f.from <= to && f.to >= from);

describe.each(TAMPERINGS)('$kind, by somebody with every right', ({ kind, tamper, needsWitness }) => {
  it(`is found in ${TIMES} of ${TIMES} places${needsWitness ? ' with a checkpoint kept outside, and never without one' : ''}`, async () => {
    const { admin } = world;
    const missed: unknown[] = [];
    let alone = 0;
    for (let n = 0; n < TIMES; n++) {
      const below = seeded(n * 7919 + kind.length * 104_729);
      await admin.query('BEGIN');
      try {
        const line = (): string => world.line(ORGANIZATION);
        const target = { organizationId: ORGANIZATION, rows: ROWS, key: world.keys, below, line };
        const touched = await tamper(admin, target);
        await admin.query('SET LOCAL ROLE forecourt_app');
        const verification = await world.verify(ORGANIZATION, needsWitness ? { kept } : {}, insideOf(admin));
        if (verification.result !== 'tampered' || !isLocated(verification, touched))
          missed.push({ n, touched, verification });
        if (needsWitness && (await world.verify(ORGANIZATION, {}, insideOf(admin))).result === 'tampered') alone++;
      } finally {
        await admin.query('ROLLBACK');
      }
    }
    expect(missed.slice(0, 3)).toEqual([]);
    expect(alone, 'found without a kept checkpoint').toBe(0);
  });
});

it('is never seen in a log that nobody touched', async () => {
  const organizationId = 'org.clean';
  const alarms: Verification[] = [];
  for (let n = 0; n < 100; n++) {
    await world.append(world.pool, organizationId, 1 + (n % 13));
    if (n % 3 !== 1) await world.publishing.run();
    const verification = await world.verify(organizationId, { kept: await world.notes(organizationId) });
    if (verification.result !== 'intact') alarms.push(verification);
  }
  expect(alarms).toEqual([]);
});
