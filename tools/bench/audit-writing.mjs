// What a record costs that is written for a read, together with those of other calls.
import { from, percentile } from './audit-world.mjs';

const READERS = 256;

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
