import { afterAll, beforeAll, expect, it } from 'vitest';
import { Alarm } from '../../src/modules/audit/app/alarm.js';
import { AuditHealth } from '../../src/modules/audit/app/audit-health.js';
import { PostgresClockOffset } from '../../src/modules/audit/infra/postgres-clock-offset.js';
import { PostgresSequencingLag } from '../../src/modules/audit/infra/postgres-sequencing-lag.js';
import { AuditLogWorld } from '../support/audit-log-world.js';

let world: AuditLogWorld;
beforeAll(async () => {
  world = await AuditLogWorld.open();
});
afterAll(() => world.close());

it('raises the alarm while a transaction holds numbering back for ten seconds, and ends it afterwards', async () => {
  const said: string[] = [];
  const log = { log: (line: string): unknown => said.push(line), error: (line: string): unknown => said.push(line) };
  const alarms = { lag: new Alarm('lag', 10, 's', log), clock: new Alarm('clock', 10, 's', log) };
  const health = (): AuditHealth =>
    new AuditHealth(
      new PostgresSequencingLag(world.pool),
      new PostgresClockOffset(world.pool, { now: () => Date.now() }),
      alarms,
    );

  const stalled = await world.pool.connect();
  await stalled.query('BEGIN; SELECT pg_current_xact_id()');
  await world.append(world.pool, 'org.stalled', 3);
  // What ten seconds would do: the records are made older, by whoever may.
  await world.admin.query('ALTER TABLE audit_events DISABLE TRIGGER USER');
  await world.admin.query(`UPDATE audit_events SET recorded_at = recorded_at - interval '11 seconds'`);
  await world.log.sequence(100);
  const behind = await health().report();
  expect(behind).toMatchObject({ status: 'alarm' });
  expect(behind.sequencingLagSeconds).toBeGreaterThan(10);
  await stalled.query('COMMIT');
  stalled.release();
  await world.log.sequence(100);
  expect(await health().report()).toMatchObject({ status: 'ok', sequencingLagSeconds: 0 });
  expect(said).toEqual([expect.stringMatching(/^ALARM lag: 1\d\.\d s/), expect.stringMatching(/again$/)]);
});
