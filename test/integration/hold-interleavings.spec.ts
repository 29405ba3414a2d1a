import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APP_OPTIONS, connectAdmin, connectApp, HoldWorld, holdOn, holdOrigin } from '../support/hold-world.js';
import { ORGANIZATION, TENANT } from '../support/hold-world.js';
import { everyInterleaving, type Interleaving, type Pair, type Step, type Stepped } from '../support/interleavings.js';
import { SteppedUseCase } from '../support/stepped-use-case.js';

let world: HoldWorld;
let watcher: pg.Client;
let first: pg.Client;
let second: pg.Client;
let useCase: SteppedUseCase;

beforeAll(async () => {
  world = await HoldWorld.open();
  await world.admin.query(`ALTER TABLE loose_things ADD COLUMN held_by text[] NOT NULL DEFAULT '{}'`);
  watcher = await connectAdmin(world.database);
  [first, second] = [await connectApp(world.database), await connectApp(world.database)];
  useCase = await SteppedUseCase.open(world.database.appUrl, APP_OPTIONS);
});
afterAll(async () => {
  await Promise.all([watcher, first, second].map((client) => client.end()));
  await useCase.close();
  await world.close();
});

/** What became of all orders. `a` holds, `b` deletes; a record is lost when it went after its hold was answered. */
interface Tally {
  orders: number;
  lost: number;
  refused: number;
  deadlocks: number;
}

async function tally(
  pair: Pair,
  table = 'things',
  isLost: (outcome: Interleaving, there: boolean) => boolean | Promise<boolean> = ({ ended }, there) =>
    !there && ended[0] === 'a',
): Promise<Tally> {
  const sum: Tally = { orders: 0, lost: 0, refused: 0, deadlocks: 0 };
  for await (const outcome of everyInterleaving(watcher, pair, prepare)) {
    sum.orders++;
    if (await isLost(outcome, (await world.ids(table)).includes('1'))) sum.lost++;
    if (Object.values(outcome.refused).includes('40P01')) sum.deadlocks++;
    else if (Object.keys(outcome.refused).length > 0) sum.refused++;
  }
  return sum;
}

const begin = `BEGIN; ${TENANT}`;
let prepare = (): Promise<unknown> => world.reset(['1']);

/** The statements of the product that take the lock, look and end. */
const holding = (id: string, client: pg.Client): Stepped => ({
  client,
  steps: [
    begin,
    `SELECT lock_out_deletions('${ORGANIZATION}')`,
    async () => {
      await client.query(`INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, categories)
        VALUES (current_tenant(), '${id}', 'm', 'r', 'p', '{feed_file}')`);
      const { rowCount } = await client.query(`SELECT FROM next_hold_pages('${id}', 1, 10)`);
      await client.query(`SELECT finish_hold_count('${id}', $1, sha256(''))`, [rowCount]);
    },
    'COMMIT',
  ],
});

/** Whoever deletes without asking. Beginning takes no lock and looks at nothing, so it is no step of its own. */
const deleting: readonly Step[] = [`${begin}; DELETE FROM things`, 'COMMIT'];

let held = false;
const checking = (table: string): readonly Step[] => [
  begin,
  async () => {
    held = (await second.query(`SELECT FROM legal_holds`)).rows.length > 0;
  },
  async () => {
    if (!held) await second.query(`DELETE FROM ${table}`);
  },
  'COMMIT',
];

describe('A hold and a deletion, in every order of their statements', () => {
  it('lose no record by the use case, whoever deletes without asking', async () => {
    const a = await useCase.stepped(() => world.placing({}, useCase.pool).run(ORGANIZATION, holdOn(), holdOrigin()));
    const b = { client: second, steps: deleting };
    const { orders, lost, refused, deadlocks } = await tally({ a, b });
    expect(orders).toBeGreaterThan(50);
    expect({ lost, deadlocks }).toEqual({ lost: 0, deadlocks: 0 });
    expect(refused, 'the guard had something to refuse').toBeGreaterThan(0);
  });

  it('lose no record by batches that leave held ones alone, and then none is refused', async () => {
    const condition = (await world.admin.query<{ c: string }>(`SELECT held_condition('things') AS c`)).rows[0]?.c ?? '';
    const steps = [
      begin,
      `SELECT join_deletions('${ORGANIZATION}')`,
      `DELETE FROM things r WHERE NOT (${condition})`,
      'COMMIT',
    ];
    const sum = await tally({ a: holding('hold.a', first), b: { client: second, steps } });
    expect(sum).toEqual({ orders: 70, lost: 0, refused: 0, deadlocks: 0 });
  });

  it('lose no record by a deletion that checks too early: the guard looks again', async () => {
    const sum = await tally({ a: holding('hold.a', first), b: { client: second, steps: checking('things') } });
    expect(sum).toMatchObject({ orders: 70, lost: 0, deadlocks: 0 });
    expect(sum.refused).toBeGreaterThan(0);
  });

  it('do lose records where nothing guards the table: the test can see it', async () => {
    const pair = { a: holding('hold.a', first), b: { client: second, steps: checking('loose_things') } };
    expect((await tally(pair, 'loose_things')).lost).toBeGreaterThan(10);
  });
});

/** Whether anything goes from a table. */
async function deletable(table: string, condition = 'true'): Promise<boolean> {
  const { rowCount } = await world.admin
    .query(`DELETE FROM ${table} WHERE ${condition}`)
    .catch(() => ({ rowCount: 0 }));
  return rowCount !== 0;
}

describe('Two holds, in every order of their statements', () => {
  /** Whether the record goes when one of the two is released, whichever that is. */
  const freedByEither = async (): Promise<boolean> => {
    let freed = false;
    for (const id of ['hold.a', 'hold.b']) {
      await world.admin.query('BEGIN');
      const released = await world.admin.query(
        `UPDATE legal_holds SET released_at = clock_timestamp(), free_from = clock_timestamp(), released_by = 'p', release_reason = 'r' WHERE hold_id = '${id}'`,
      );
      freed ||= released.rowCount !== 1 || (await deletable('things'));
      await world.admin.query('ROLLBACK');
    }
    return freed;
  };

  it('are both there afterwards, and each keeps the record when the other is released', async () => {
    const pair = { a: holding('hold.a', first), b: holding('hold.b', second) };
    const sum = await tally(pair, 'things', async ({ ended }) => ended.length < 2 || (await freedByEither()));
    expect(sum).toEqual({ orders: 70, lost: 0, refused: 0, deadlocks: 0 });
  });

  it('would lose one where a record names its holds itself: the test can see it', async () => {
    const naming = (id: string, client: pg.Client): Stepped => {
      let named: string[] = [];
      const read = async (): Promise<void> => {
        const { rows } = await client.query<{ held_by: string[] }>('SELECT held_by FROM loose_things');
        named = rows[0]?.held_by ?? [];
      };
      const write = (): Promise<unknown> => client.query('UPDATE loose_things SET held_by = $1', [[...named, id]]);
      return { client, steps: [begin, read, write, 'COMMIT'] };
    };
    const pair = { a: naming('hold.a', first), b: naming('hold.b', second) };
    const sum = await tally(pair, 'loose_things', async () => {
      return (await world.admin.query('SELECT FROM loose_things WHERE cardinality(held_by) = 2')).rowCount !== 1;
    });
    expect(sum).toMatchObject({ orders: 70, refused: 0 });
    expect(sum.lost).toBeGreaterThan(10);
  });
});

describe('A hold and the release of another one', () => {
  const releasing = (free: string): Stepped => ({
    client: second,
    steps: [
      begin,
      `UPDATE legal_holds SET released_at = clock_timestamp(), free_from = clock_timestamp(), released_by = 'p', release_reason = 'r' WHERE hold_id = 'hold.b'`,
      free,
      'COMMIT',
    ],
  });
  const run = async (a: Stepped, free: string, table: string, condition = 'true'): Promise<number> => {
    prepare = () => world.reset(['1'], ['hold.b']);
    let lost = 0;
    for await (const { ended } of everyInterleaving(watcher, { a, b: releasing(free) }, prepare)) {
      expect(ended).toHaveLength(2);
      if (await deletable(table, condition)) lost++;
    }
    return lost;
  };

  it('leave the record to the new hold', async () => {
    expect(await run(holding('hold.a', first), 'SELECT 1', 'things')).toBe(0);
  });

  it('would free it where a hold were a flag of the record: the test can see it', async () => {
    const a = { client: first, steps: [begin, 'UPDATE loose_things SET flagged = true', 'COMMIT'] };
    const lost = await run(a, 'UPDATE loose_things SET flagged = false', 'loose_things', 'NOT flagged');
    expect(lost).toBeGreaterThan(5);
  });
});

describe('A release and a deletion, in every order of their statements', () => {
  const orders = async (coolingMs: number): Promise<Tally> => {
    prepare = () => world.reset(['1'], ['hold.b']);
    await prepare();
    const a = await useCase.stepped(() =>
      world.releasing({ coolingMs }, useCase.pool).run(ORGANIZATION, 'hold.b', 'settled', holdOrigin()),
    );
    const pair = { a, b: { client: second, steps: deleting } };
    return tally(pair, 'things', (_outcome, there) => !there);
  };

  it('keep the record: it is bound until the cooling period is over', async () => {
    const { orders: all, lost, refused, deadlocks } = await orders(72 * 3_600_000);
    expect({ lost, deadlocks, refused }).toEqual({ lost: 0, deadlocks: 0, refused: all });
  });

  it('would lose it without a cooling period: the test can see it', async () => {
    expect((await orders(0)).lost).toBeGreaterThan(0);
  });
});
