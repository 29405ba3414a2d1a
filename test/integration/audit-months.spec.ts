import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyInterleaving, type Step } from '../support/interleavings.js';
import { putHold } from '../support/legal-holds.js';
import { cutoffsUntil, PruningWorld } from '../support/pruning-world.js';

const ONE = 'org.month.one';
const OTHER = 'org.month.other';
const MONTH = '2020_01';
const HELD_SEQ = 70;

let world: PruningWorld;

beforeAll(async () => {
  world = await PruningWorld.open();
  for (const organization of [ONE, OTHER]) {
    await world.addOrganization(organization);
    await world.log.grow(organization, 600, 300);
    await world.age(organization, 512, MONTH);
  }
});
afterAll(() => world.close());

const months = async (): Promise<boolean> =>
  (await world.log.admin.query<{ there: boolean }>(`SELECT to_regclass('audit_events_${MONTH}') IS NOT NULL AS there`))
    .rows[0]!.there;
const inMonth = async (): Promise<number> =>
  (
    await world.log.admin.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM audit_events WHERE recorded_at < '2021-01-01'`,
    )
  ).rows[0]!.n;
const idOf = async (organization: string, seq: number): Promise<string> =>
  (
    await world.log.admin.query<{ event_id: string }>(
      'SELECT event_id FROM audit_entries WHERE organization_id = $1 AND seq = $2',
      [organization, seq],
    )
  ).rows[0]!.event_id;

describe('a month of the trail', () => {
  it('stays while one organization needs it, goes at once when none does, and what is held in it is vaulted', async () => {
    expect(await inMonth()).toBe(1024);
    await putHold(world.log.admin, OTHER, 'hold.month', { record_ids: [await idOf(OTHER, HELD_SEQ)] });
    await world.addRun(ONE, 'run.one', cutoffsUntil(await world.now()));
    const drop = (): Promise<unknown> => world.log.pool.query(`SELECT drop_audit_month('2020-01-01') AS dropped`);
    expect(await drop()).toMatchObject({ rows: [{ dropped: null }] });
    // All of one organization's rows go row by row: the other one's are in the month still.
    expect(await world.carryOut(ONE, 'run.one')).toMatchObject({ taken: 512, held: 0 });
    expect([await months(), await inMonth()]).toEqual([true, 512]);

    await world.addRun(OTHER, 'run.other', cutoffsUntil(await world.now()));
    const steps: [boolean, number][] = [];
    for (let finished = false; !finished;) {
      const outcome = await world.step(OTHER, 'run.other', 256);
      finished = outcome.kind === 'done' && outcome.finished;
      steps.push([
        await months(),
        await world.log.admin
          .query('SELECT FROM audit_entries WHERE organization_id = $1 AND seq < 512', [OTHER])
          .then((r) => r.rowCount ?? 0),
      ]);
    }
    // Recorded, vaulted, then the month at once with the evidence of its rows; then their entries with the year.
    expect(steps).toEqual([
      [true, 512],
      [true, 512],
      [false, 512],
      [false, 0],
    ]);
    const vault = await world.log.admin.query('SELECT organization_id, seq::integer AS seq FROM hold_vault');
    expect(vault.rows).toEqual([{ organization_id: OTHER, seq: HELD_SEQ }]);
    await world.log.publishing.run();
    for (const [organization, vaulted] of [
      [ONE, undefined],
      [OTHER, 1],
    ] as const) {
      const verification = await world.log.verify(organization);
      expect(verification, organization).toMatchObject({ result: 'pruned', findings: [] });
      expect(verification.vaulted).toBe(vaulted);
    }
  });
});

describe('every order of the steps', () => {
  const tenant = 'org.month.race';
  const clients: pg.Client[] = [];
  let id: string;

  const client = async (role: string): Promise<pg.Client> => {
    const made = new pg.Client({ connectionString: world.log.database.adminUrl, options: '-c search_path=forecourt' });
    clients.push(made);
    await made.connect();
    await made.query(`SET ROLE ${role}; SELECT set_config('app.tenant', '${tenant}', false)`);
    return made;
  };

  beforeAll(async () => {
    const { admin } = world.log;
    await world.addOrganization(tenant);
    await world.log.grow(tenant, 300, 300);
    await world.age(tenant, 256, '2020_02');
    id = await idOf(tenant, HELD_SEQ);
    await world.addRun(tenant, 'run.race', cutoffsUntil(await world.now()));
    await world.step(tenant, 'run.race'); // records the pruning
    await world.log.log.sequence(1000);
    const columns = await admin.query<{ names: string }>(
      `SELECT string_agg(attname, ', ' ORDER BY attnum) AS names FROM pg_attribute
       WHERE attrelid = 'audit_events'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    );
    const { names } = columns.rows[0]!;
    await admin.query(`CREATE TABLE saved_events AS SELECT ${names} FROM audit_events WHERE recorded_at >= '2020-02-01Z' AND recorded_at < '2020-03-01Z';
      CREATE TABLE saved_entries AS SELECT * FROM audit_entries WHERE recorded_at >= '2020-02-01Z' AND recorded_at < '2020-03-01Z'`);
    restore = async (): Promise<void> => {
      await admin.query(`SET session_replication_role = origin; ALTER EVENT TRIGGER audit_months_are_kept DISABLE;
        DROP TABLE IF EXISTS audit_events_2020_02`);
      await world.addMonth('2020_02');
      for (const table of ['audit_entries', 'hold_vault', 'legal_holds', 'retention_runs'])
        await admin.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      await admin.query(`DELETE FROM audit_entries WHERE recorded_at >= '2020-02-01Z' AND recorded_at < '2020-03-01Z'; INSERT INTO audit_entries SELECT * FROM saved_entries;
        INSERT INTO audit_events (${names}) SELECT ${names} FROM saved_events; DELETE FROM legal_holds WHERE organization_id = '${tenant}';
        DELETE FROM hold_vault WHERE organization_id = '${tenant}';
        UPDATE retention_runs SET position = '{"audit_event": {"phase": "rows", "at": 0}}' WHERE run_id = 'run.race'`);
      for (const [table, triggers] of Object.entries({
        audit_entries: ['audit_entries_are_final', 'only_pruned_entries'],
        hold_vault: ['hold_vault_is_final', 'guard_holds'],
      }))
        for (const trigger of triggers) await admin.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger}`);
      await admin.query('ALTER EVENT TRIGGER audit_months_are_kept ENABLE ALWAYS');
    };
  });
  afterAll(async () => {
    for (const made of clients) await made.end();
  });
  let restore: () => Promise<void>;

  /** Orders in which the hold counted the record, and it is not there afterwards; and in which it still is. */
  const lost = async (deleting: {
    client: pg.Client;
    steps: readonly Step[];
  }): Promise<{ orders: number; lost: number; gone: number }> => {
    const holding = await client('forecourt_app');
    const hold: Step[] = [
      `BEGIN; SELECT lock_out_deletions('${tenant}')`,
      `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, record_ids, covered, root, counted_at)
       SELECT '${tenant}', 'hold.race', 'matter', 'reason', 'person.a', ARRAY['${id}'], count(*), sha256('x'), now() FROM all_audit_records() WHERE event_id = '${id}'`,
      'COMMIT',
    ];
    const sum = { orders: 0, lost: 0, gone: 0 };
    for await (const { refused } of everyInterleaving(
      world.log.admin,
      { a: deleting, b: { client: holding, steps: hold } },
      restore,
    )) {
      expect(refused.b).toBeUndefined();
      const { rows } = await world.log.admin.query<{ covered: number; there: number }>(
        `SELECT covered::integer, (SELECT count(*)::integer FROM all_audit_records() WHERE event_id = $1) AS there FROM legal_holds WHERE organization_id = $2`,
        [id, tenant],
      );
      sum.orders++;
      if (rows[0]!.covered > rows[0]!.there) sum.lost++;
      if (rows[0]!.covered === 0) sum.gone++;
    }
    return sum;
  };

  it('of a month that is dropped and a hold: none loses what is held', async () => {
    const dropping = await client('forecourt_app');
    const steps = [`BEGIN; SELECT drop_audit_month('2020-02-01')`, 'COMMIT'];
    const sum = await lost({ client: dropping, steps });
    expect(sum).toMatchObject({ orders: 10, lost: 0 });
    expect(sum.gone).toBeGreaterThan(0);
    expect(sum.gone).toBeLessThan(10);
  });

  it('of rows that go and a hold: none loses what is held', async () => {
    const pruning = await client('forecourt_app');
    const steps = [`BEGIN; SELECT prune_audit_batch('run.race', 1, 1000)`, 'COMMIT'];
    const sum = await lost({ client: pruning, steps });
    expect(sum).toMatchObject({ orders: 10, lost: 0 });
    expect(sum.gone).toBeGreaterThan(0);
  });

  it('of somebody who looks for holds and then drops, without the lock: some lose it, so the test can see', async () => {
    const naive = await client('forecourt_owner');
    const steps = [
      `BEGIN; SELECT vault_audit_month('2020-02-01Z', '2020-03-01Z'), set_config('app.audit_month', 'audit_events_2020_02', true)`,
      'DROP TABLE audit_events_2020_02',
      'COMMIT',
    ];
    expect((await lost({ client: naive, steps })).lost).toBeGreaterThan(0);
  });
});
