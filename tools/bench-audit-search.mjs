// `npm run bench:audit-search`: how fast a large audit trail answers. `-- --records 100000` makes it smaller (10,000,000 unless told
// otherwise), `--looks 5` asks less often. Its own database, thrown away at the end.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RECEIPTS, SUMS, searches } from './bench/audit-search-queries.mjs';
import { fillTrail, ORGANIZATION } from './bench/audit-trail-rows.mjs';
import { from, openAuditBench, percentile } from './bench/audit-world.mjs';
import { prepare } from './prepare.mjs';

const { values } = parseArgs({
  options: { records: { type: 'string', default: '10000000' }, looks: { type: 'string', default: '20' } },
});
const [records, looks] = [values.records, values.looks].map(Number);
/** Records of a page, as the admin API asks for them: one more than it shows. */
const PAGE = 26;
const LINES = 101;
const YEAR_MS = 330 * 86_400_000;
const SEARCH_AIM_MS = 200;
const SUM_AIM_MS = 2000;

// BENCH_DIST names code that was compiled elsewhere.
if (process.env.BENCH_DIST === undefined) prepare((line) => console.log(`${line} …`));
const begun = Date.now();
const say = (line) => console.log(`${((Date.now() - begun) / 1000).toFixed(0).padStart(4)} s  ${line}`);
const world = await openAuditBench();
let closing;
/** Once, whoever asks for it: the end of the work, or a signal in the middle of it. */
const close = () => (closing ??= world.close());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close().finally(() => process.exit(1)));
try {
  await fillTrail(world.admin, records, say);
  const { PostgresAuditSearch } = await from('modules/audit/infra/postgres-audit-search.js');
  const pool = world.pool(1);
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
  report(await measure(new PostgresAuditSearch(pool), rows[0].pid));
  say('done');
} finally {
  await close();
}

async function measure(search, pid) {
  const rows = [];
  const asked = async (name, aim, ask) => rows.push({ name, aim, ...(await timed(ask, pid)) });
  for (const [name, filter] of Object.entries(searches(records))) {
    const find = (page) => search.find(ORGANIZATION, filter(), { ...page, limit: PAGE });
    await asked(name, SEARCH_AIM_MS, () => find({}));
    await asked(`${name}: far behind`, SEARCH_AIM_MS, () => find({ after: somewhere() }));
  }
  for (const [name, filter] of Object.entries(SUMS)) {
    const sumUp = (page) => search.sumUp(ORGANIZATION, filter(), { ...page, most: 100 });
    await asked(name, SUM_AIM_MS, () => sumUp({}));
    await asked(`${name}: far behind`, SUM_AIM_MS, () => sumUp({ after: somewhere() }));
  }
  for (const [name, filter] of Object.entries(RECEIPTS))
    await asked(name, SUM_AIM_MS, () => search.receipts(ORGANIZATION, filter(), { limit: LINES }));
  return rows;
}

/** A place in the trail, behind which a page begins. */
function somewhere() {
  return { recordedAt: new Date(Date.now() - Math.random() * YEAR_MS).toISOString(), eventId: 'req' };
}

/** What an answer is about: records found, records counted, or calls counted. */
function sizeOf(answer) {
  return answer.length ?? answer.records ?? answer.lines.reduce((sum, { calls }) => sum + calls, 0);
}

/** CPU time of a process so far, to 10 ms: what a look costs on a machine that does other work, too. NaN where there is no /proc. */
function cpuMsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return NaN;
  }
}

async function timed(ask, pid) {
  const took = [];
  const before = cpuMsOf(pid);
  let found = 0;
  for (let i = 0; i < looks; i++) {
    const at = performance.now();
    const answer = await ask();
    took.push(performance.now() - at);
    found += sizeOf(answer) / looks;
  }
  const cpu = (cpuMsOf(pid) - before) / looks;
  return { found, cpu, p50: percentile(took, 0.5), p95: percentile(took, 0.95), max: Math.max(...took) };
}

function report(rows) {
  const line = (...cells) =>
    console.log([cells[0].padEnd(54), ...cells.slice(1).map((cell) => cell.padStart(9))].join(' '));
  line('milliseconds', 'found', 'CPU', 'p50', 'p95', 'max', 'aim');
  for (const { name, found, cpu, p50, p95, max, aim } of rows)
    line(
      name,
      found.toFixed(found < 100 ? 1 : 0),
      ...[cpu, p50, p95, max].map((ms) => ms.toFixed(1)),
      p95 < aim ? `${aim}` : `${aim} MISS`,
    );
}
