// `npm run bench:audit`: what the audit trail costs and how fast it is checked. `-- --events 100000 --seconds 2` makes it smaller.
// Machines are shared and noisy: ratios and CPU time say more than rates. Counts are exact.
import { parseArgs } from 'node:util';
import { sequenced } from './bench/audit-sequencing.mjs';
import { proofs, verified } from './bench/audit-verifying.mjs';
import { audited } from './bench/audit-transactions.mjs';
import { openAuditBench } from './bench/audit-world.mjs';
import { groupCommitted } from './bench/audit-writing.mjs';
import { prepare } from './prepare.mjs';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
});
const size = { events: Number(values.events), seconds: Number(values.seconds), rounds: Number(values.rounds) };

// BENCH_DIST names code that was compiled elsewhere.
if (process.env.BENCH_DIST === undefined) prepare((line) => console.log(`${line} …`));
const world = await openAuditBench();
try {
  const rows = [
    ...(await audited(world, size)),
    ...(await groupCommitted(world, size)),
    ...(await sequenced(world, size)),
    ...(await verified(world)),
    ...(await proofs(world)),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join('  '));
} finally {
  await world.close();
}
