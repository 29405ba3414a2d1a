// What the guard of legal holds costs (docs/adr/0045-what-is-stored.md). `-- --rows 20000 --rounds 1` makes it smaller. Machines
// are shared and noisy: the shares say more than the rates.
import { parseArgs } from 'node:util';
import { openAuditBench } from './bench/audit-world.mjs';
import { guardedDeletes } from './bench/guarded-deletes.mjs';
import { prepare } from './prepare.mjs';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '200000' }, rounds: { type: 'string', default: '3' } },
});
// BENCH_DIST names code that was compiled elsewhere.
if (process.env.BENCH_DIST === undefined) prepare((line) => console.log(`${line} …`));
const world = await openAuditBench();
try {
  const rows = await guardedDeletes(world, { rows: Number(values.rows), rounds: Number(values.rounds) });
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join('  '));
} finally {
  await world.close();
}
