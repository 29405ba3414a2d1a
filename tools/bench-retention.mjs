// `npm run bench:retention`: how fast a retention run deletes, what it needs, and what others feel of it. `-- --records 100000 --seconds 3`
// makes it smaller, `--only-run` leaves out holds and the audit trail, `--share 100` lets the run make no room for readers. The run goes beside reads
// first and alone afterwards: its records must last for both. Machines are shared and noisy: ratios say more than rates. Counts are exact.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importInventory } from './bench/import-inventory.mjs';
import { openLoop } from './bench/load.mjs';
import { makeGroup, prepareService } from './bench/prepare-service.mjs';
import { cycle, getVehicle, search } from './bench/queries.mjs';
import { openRetentionBench } from './bench/retention-run.mjs';
import { prepare, ROOT } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000000' },
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    share: { type: 'string', default: '25' },
    'only-run': { type: 'boolean', default: false },
  },
});
const [records, seconds, rate] = [values.records, values.seconds, values.rate].map(Number);
const UNITS = 2000;

prepare((line) => console.log(`${line} …`));
const group = makeGroup('org.kept', 20);
const more = { RETENTION_BRAKE_PERCENT: '100', RETENTION_BUSY_SHARE_PERCENT: values.share };
const service = await prepareService([group], more, 'api');
const startWorker = () => service.start('worker', ['--max-semi-space-size=4']); // as the chart starts it
let worker = startWorker();
try {
  await importInventory(service, group, UNITS);
  // A run in a process of its own: what an import grew is not a run's.
  await stopped(worker);
  worker = startWorker();
  const target = await vehicleReads();
  await openLoop(target, { rate, seconds: 2 }); // warm
  const bench = await openRetentionBench(service.adminUrl, group.organizationId, records);
  const alone = await openLoop(target, { rate, seconds });
  const run = await bench.run(worker.pid, () => openLoop(target, { rate, seconds }));
  await bench.close();
  report(alone, run);
} finally {
  await stopped(worker);
  await service.stop();
}
// The latency of holds and the partition path of the audit trail have their own databases.
const others = [['retention-holds.mjs'], ['audit-pruning.mjs', '--rows', values.records]];
for (const [file, ...args] of values['only-run'] ? [] : others)
  spawnSync(process.execPath, [join(ROOT, 'tools/bench', file), ...args], { stdio: 'inherit' });

function stopped(child) {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGINT');
  return ended;
}

async function vehicleReads() {
  const path = `/organizations/${group.organizationId}/mcp`;
  const answer = await fetch(`${service.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: search(group.organizationId, {}),
  });
  const { result } = await answer.json();
  const vehicles = result.structuredContent.vehicles.map((v) => [v.rooftop_id, v.vehicle_id]);
  if (vehicles.length === 0) throw new Error('the search found no vehicle');
  return {
    origin: service.origin,
    pid: service.pid,
    path,
    headers: { accept: 'application/json, text/event-stream' },
    next: cycle(vehicles.map((vehicle) => getVehicle(group.organizationId, vehicle))),
  };
}

function report(before, { taken, beside, alone, wholeSeconds, previewSeconds, resident, before: idle, slope, reads }) {
  const row = (name, value, aim) => console.log([name.padEnd(44), value.padEnd(46), aim].join('  '));
  const speed = (name, batches, aim) => {
    if (batches === undefined) return row(name, 'not measured', 'too few batches: take more records or fewer seconds');
    const { rate, p50, p99 } = batches;
    return row(name, `${rate} records/s; batches p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms`, aim);
  };
  row('records', `${taken}`, '');
  speed('row path, guarded, nobody reading', alone, 'aim: at least 80000');
  speed(`row path beside reads, at ${values.share} % of the time`, beside, 'with rests between batches');
  row('preview', `${previewSeconds.toFixed(1)} s`, '');
  row('start to record, with both looks', `${wholeSeconds.toFixed(1)} s`, '');
  row('resident memory of the worker, most', `${resident} MiB, ${idle} before the run`, 'aim: at most 200');
  row('its slope', `${slope.toFixed(1)} MiB a million records`, 'aim: below 1');
  if (reads === undefined) row('get_vehicle p99', 'not measured', 'the run was over before: take more records');
  else
    row(
      'get_vehicle p99 while it works',
      `${reads.p99.toFixed(1)} ms, ${before.p99.toFixed(1)} ms without: ${(reads.p99 / before.p99).toFixed(2)} ×`,
      'aim: below 1.3',
    );
}
