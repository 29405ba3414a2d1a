// What a record costs where it is written: in the transaction of a change, and group-committed beside a read.
import { from, percentile } from './audit-world.mjs';

const WRITERS = 16;
const READERS = 256;

/** The same transaction with and without its audit record, in turns. */
export async function audited(world, { seconds, rounds }) {
  const pool = world.pool(WRITERS);
  const rates = { without: [], with: [] };
  await run(world, pool, true, 1);
  for (let round = 0; round < rounds; round++)
    for (const kind of ['without', 'with']) rates[kind].push(await run(world, pool, kind === 'with', seconds));
  await pool.end();
  const [plain, whole] = [percentile(rates.without, 0.5), percentile(rates.with, 0.5)];
  return [
    [
      'audited transactions',
      `${whole.toFixed(0)}/s, ${((whole / plain) * 100).toFixed(0)} % of ${plain.toFixed(0)}/s without audit`,
      'aim: 85 %',
    ],
  ];
}

async function run(world, pool, isAudited, seconds) {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const write = async () => {
    const client = await pool.connect();
    while (performance.now() < end) {
      await client.query(`BEGIN; SELECT set_config('app.tenant', 'org.work', true)`);
      await client.query({
        name: 'work',
        text: 'INSERT INTO bench_work (organization_id, body) VALUES ($1, $2)',
        values: ['org.work', 'x'.repeat(200)],
      });
      if (isAudited)
        await client.query({
          name: 'audit',
          text: 'SELECT append_audit($1, $2)',
          values: ['org.work', world.line('org.work')],
        });
      await client.query('COMMIT');
      done++;
    }
    client.release();
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return done / seconds;
}

/** CPU of this process for each record that the recorder makes durable for a read. */
export async function groupCommitted(world, { seconds, rounds }) {
  const { GroupCommitAuditRecorder, AUDIT_CONNECTIONS } = await from(
    'modules/audit/infra/group-commit-audit-recorder.js',
  );
  const { NoncePool } = await from('modules/audit/infra/nonce-pool.js');
  const recorder = new GroupCommitAuditRecorder(world.pool(AUDIT_CONNECTIONS), new NoncePool());
  const costs = [];
  const rates = [];
  for (let round = 0; round <= rounds; round++) {
    const end = performance.now() + seconds * 1000;
    const before = process.cpuUsage();
    let done = 0;
    const read = async () => {
      for (; performance.now() < end; done++) await recorder.record(world.record('org.reads'));
    };
    await Promise.all(Array.from({ length: READERS }, read));
    const { user, system } = process.cpuUsage(before);
    if (round === 0) continue; // code is being compiled
    costs.push((user + system) / done);
    rates.push(done / seconds);
  }
  await recorder.close();
  return [
    [
      'group-committed record',
      `${percentile(costs, 0.5).toFixed(1)} µs of CPU each at ${percentile(rates, 0.5).toFixed(0)}/s`,
      'aim: 30 µs',
    ],
  ];
}
