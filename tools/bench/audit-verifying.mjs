// Checking the trail that was numbered before: whole and by tiles, each in a process of its own; and one record offline.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';
import { from, MEASURED, percentile } from './audit-world.mjs';

const CHECKS = 2000;

export async function verified(world) {
  await world.admin.query('ANALYZE');
  const publicKey = world.keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const rows = [];
  for (const [kind, aim] of [
    ['whole', 'aim: 70000/s, 256 MiB'],
    ['tiles', ''],
  ]) {
    const r = await inProcess({ url: world.url, organizationId: MEASURED, publicKey, kind });
    rows.push([
      `verify, ${kind}`,
      `${r.result}: ${r.rows} rows at ${r.perSecond.toFixed(0)}/s, ${r.cpuMicros.toFixed(1)} µs of CPU a row, resident ${r.residentMiB} MiB at most`,
      aim,
    ]);
  }
  return rows;
}

function inProcess(job) {
  const child = fork(join(ROOT, 'tools/bench/audit-verify-process.mjs'));
  child.send(job);
  return new Promise((done, failed) => {
    child.once('message', done);
    child.once('exit', (code) => failed(new Error(`verifying ended with ${code}`)));
  });
}

export async function proofs(world) {
  const { PostgresAuditLog } = await from('modules/audit/infra/postgres-audit-log.js');
  const { ProveRecord } = await from('modules/audit/app/prove-record.js');
  const { openCheckpoint } = await from('modules/audit/domain/log/checkpoint.js');
  const { includes } = await from('modules/audit/domain/log/merkle-proof.js');
  const { leafOf } = await from('modules/audit/domain/stored-record.js');
  const { rows } = await world.admin.query(
    'SELECT event_id FROM audit_entries WHERE organization_id = $1 AND seq % 997 = 3 LIMIT 20',
    [MEASURED],
  );
  const proving = new ProveRecord(new PostgresAuditLog(world.pool(2)));
  const sizes = [];
  const times = [];
  for (const { event_id: eventId } of rows) {
    const proof = await proving.run(MEASURED, eventId);
    sizes.push(Buffer.byteLength(JSON.stringify(proof)));
    const origin = proof.checkpoint.slice(0, proof.checkpoint.indexOf('\n'));
    for (let i = 0; i < CHECKS / rows.length; i++) {
      const started = performance.now();
      const checkpoint = openCheckpoint(proof.checkpoint, origin, [world.keys.publicKey]);
      const path = proof.inclusionPath.map((hash) => Buffer.from(hash, 'base64'));
      if (checkpoint === undefined || !includes(leafOf(proof.canon), proof.seq, checkpoint.size, path, checkpoint.root))
        throw new Error('a proof does not hold');
      times.push(performance.now() - started);
    }
  }
  return [
    [
      'proof of one record',
      `${Math.max(...sizes)} bytes at most, checked in ${percentile(times, 0.5).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(2)} ms`,
      'aim: 2048 bytes, 5 ms',
    ],
  ];
}
