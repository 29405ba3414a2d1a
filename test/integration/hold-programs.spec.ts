import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/kernel/failure/failure.js';
import { withTenantSql } from '../../src/platform/database/tenant-sql.js';
import { HoldWorld, holdOn, holdOrigin, ORGANIZATION } from '../support/hold-world.js';

/** `HOLD_PROGRAMS=5000` for a long run. */
const RUNS = Number(process.env['HOLD_PROGRAMS'] ?? 20);
const IDS = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];

type Action =
  | { readonly kind: 'hold'; readonly ids: readonly string[] }
  | { readonly kind: 'release'; readonly nth: number }
  | { readonly kind: 'delete'; readonly ids: readonly string[] };

const someIds = fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 3 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('hold' as const), ids: someIds }),
  fc.record({ kind: fc.constant('release' as const), nth: fc.nat(5) }),
  fc.record({ kind: fc.constant('delete' as const), ids: someIds }),
);
/** What three connections do at the same time. */
const programs = fc.tuple(...[0, 1, 2].map(() => fc.array(action, { minLength: 1, maxLength: 5 })));

let world: HoldWorld;
beforeAll(async () => {
  world = await HoldWorld.open();
  await world.admin.query(`CREATE TABLE loose_holds (organization_id text, listed text[]);
    GRANT SELECT, INSERT ON loose_holds TO forecourt_app`);
});
afterAll(() => world.close());

async function runAll(program: readonly Action[][], run: (one: Action) => Promise<unknown>): Promise<void> {
  await Promise.all(
    program.map(async (actions) => {
      for (const one of actions) await run(one);
    }),
  );
}

/** Refusals are answers; anything else is a defect. */
const answered = async (work: Promise<unknown>, codes: readonly string[]): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!(error instanceof Failure) || !codes.includes(error.code)) throw error;
  });
};

describe('Random programs of holds, releases and deletions on three connections', () => {
  it('never lose a record that an answered hold lists, and count what they list', async () => {
    const placing = world.placing();
    const releasing = world.releasing();
    const deleting = (ids: readonly string[]): Promise<unknown> =>
      withTenantSql(world.pool, ORGANIZATION, 'read write', (client) =>
        client.query('DELETE FROM things WHERE id = ANY ($1)', [ids]),
      );
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        await world.reset(IDS);
        const held: string[] = [];
        await runAll(program, async (one) => {
          if (one.kind === 'hold')
            held.push((await placing.run(ORGANIZATION, holdOn({ recordIds: one.ids }), holdOrigin())).holdId);
          else if (one.kind === 'delete') await answered(deleting(one.ids).catch(count), ['input.held']);
          else if (held.length > 0)
            await answered(releasing.run(ORGANIZATION, held[one.nth % held.length] ?? '', 'settled', holdOrigin()), [
              'state.conflict',
            ]);
        });
        const { rows } = await world.admin.query<{ lost: string[]; miscounted: boolean }>(`
          SELECT ARRAY(SELECT unnest(p.listed) EXCEPT SELECT E'feed_file\\n' || id FROM things) AS lost,
                 h.covered <> coalesce(cardinality(p.listed), 0) AS miscounted
          FROM legal_holds h LEFT JOIN legal_hold_pages p USING (organization_id, hold_id)`);
        expect(rows).toHaveLength(held.length);
        expect(rows.filter(({ lost, miscounted }) => lost.length > 0 || miscounted)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    expect(refused, 'there was something to refuse').toBeGreaterThan(0);

    function count(error: unknown): never {
      refused++;
      throw error;
    }
  });

  it('do lose records where holds and deletions only look before they act: the test can see it', async () => {
    const inTransaction = <T>(work: Parameters<typeof withTenantSql<T>>[3]): Promise<T> =>
      withTenantSql(world.pool, ORGANIZATION, 'read write', work);
    const hold = (ids: readonly string[]): Promise<unknown> =>
      inTransaction((client) =>
        client.query('INSERT INTO loose_holds SELECT $1, array_agg(id) FROM loose_things WHERE id = ANY ($2)', [
          ORGANIZATION,
          ids,
        ]),
      );
    const remove = (ids: readonly string[]): Promise<unknown> =>
      inTransaction(async (client) => {
        if ((await client.query('SELECT FROM loose_holds WHERE listed && $1', [ids])).rowCount !== 0) return;
        await delay(1);
        await client.query('DELETE FROM loose_things WHERE id = ANY ($1)', [ids]);
      });
    const found = await fc.check(
      fc.asyncProperty(programs, async (program) => {
        await world.reset(IDS);
        await world.admin.query('DELETE FROM loose_holds');
        await runAll(program, async (one) => {
          if (one.kind === 'hold') await hold(one.ids);
          else if (one.kind === 'delete') await remove(one.ids);
        });
        const lost = `SELECT unnest(listed) AS id FROM loose_holds EXCEPT SELECT id FROM loose_things`;
        return (await world.admin.query(lost)).rowCount === 0;
      }),
      { numRuns: 200, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });
});
