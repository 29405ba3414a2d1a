// Numbering under writers that end in any order: nothing missed, nothing twice, and how far behind it is.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';
import { from, GATEWAY, MEASURED, percentile } from './audit-world.mjs';

const WRITERS = 16;
const RECORDS_EACH = 40;
const KILL_EVERY_MS = 4000;

export async function sequenced(world, { events }) {
  const { PostgresAuditLog } = await from('modules/audit/infra/postgres-audit-log.js');
  const { PublishCheckpoints } = await from('modules/audit/app/publish-checkpoints.js');
  const { signCheckpoint } = await from('modules/audit/domain/log/checkpoint.js');
  const pool = world.pool(WRITERS + 4);
  const log = new PostgresAuditLog(pool);
  const { privateKey, publicKey } = world.keys;
  const publishing = new PublishCheckpoints(log, (c) => signCheckpoint(c, privateKey, publicKey), {
    gatewayId: GATEWAY,
    heartbeatMs: 60_000,
  });
  // What the parts before have written: its age says nothing about these writers.
  const lag = async () => (await world.admin.query('SELECT coalesce(audit_lag_seconds(), 0) AS lag')).rows[0].lag;
  do await publishing.run();
  while ((await lag()) > 0);
  let [left, committed, writing] = [events, 0, true];
  const lags = [];
  const write = async (writer) => {
    for (let i = 0; left > 0; i++) {
      const count = Math.min(RECORDS_EACH, left);
      left -= count;
      const lines = Array.from({ length: count }, () => world.line(MEASURED)).join('\n');
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query('SELECT append_audit($1, $2)', [MEASURED, lines]);
      await pause(Math.random() * (i % 10 === 0 ? 200 : 20));
      const gone = Math.random() < 0.01;
      await client.query(gone ? 'ROLLBACK' : 'COMMIT');
      client.release();
      if (gone) left += count;
      else committed += count;
    }
  };
  const isWriting = () => writing;
  const number = every(isWriting, 250, () => publishing.number());
  const publish = every(isWriting, 1000, () => publishing.run());
  const measure = every(
    () => writing,
    50,
    async () => lags.push(await lag()),
  );
  let kills = 0;
  const kill = every(
    () => writing,
    KILL_EVERY_MS,
    async () => {
      const child = spawn(process.execPath, [join(ROOT, 'test/support/sequencer-process.mjs'), world.url, '2000'], {
        stdio: 'ignore',
      });
      await pause(KILL_EVERY_MS - 200);
      child.kill('SIGKILL');
      kills++;
    },
  );
  const started = performance.now();
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  writing = false;
  await Promise.all([number, publish, measure, kill]);
  const seconds = (performance.now() - started) / 1000;
  await publishing.run();
  const { rows } = await world.admin.query(
    `SELECT count(*)::float8 AS numbered, count(DISTINCT (recorded_at, event_id))::float8 AS once, coalesce(max(seq) + 1, 0)::float8 AS size
     FROM audit_entries WHERE organization_id = $1`,
    [MEASURED],
  );
  const { numbered, once, size } = rows[0];
  await pool.end();
  return [
    [
      'sequencer',
      `${committed} committed in ${seconds.toFixed(0)} s, ${committed - once} missed, ${numbered - once} twice, ${size - numbered} gaps, ${kills} processes killed`,
      'aim: 0, 0, 0',
    ],
    [
      'sequencer, lag',
      `p50 ${percentile(lags, 0.5).toFixed(2)} s, p99 ${percentile(lags, 0.99).toFixed(2)} s`,
      'aim: p99 2 s',
    ],
  ];
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function every(isOn, ms, work) {
  while (isOn()) {
    await work();
    await pause(ms);
  }
}
