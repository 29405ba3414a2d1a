// Verifies a log in a process of its own, so that its memory is its own.
import { createPublicKey } from 'node:crypto';
import { from, GATEWAY } from './audit-world.mjs';

process.once('message', async ({ url, organizationId, publicKey, kind }) => {
  const { openPool } = await from('platform/database/connection.js');
  const { PostgresAuditLogReader } = await from('modules/audit/infra/postgres-audit-log-reader.js');
  const { VerifyAuditLog } = await from('modules/audit/app/verify-audit-log.js');
  const { openCheckpoint } = await from('modules/audit/domain/log/checkpoint.js');
  const pool = openPool({ url, size: 4, waitMs: 5000, name: 'bench-verify', onError: () => undefined });
  const key = createPublicKey(publicKey);
  const verifying = new VerifyAuditLog(
    new PostgresAuditLogReader(pool),
    (note, origin) => openCheckpoint(note, origin, [key]),
    GATEWAY,
  );
  const [started, before] = [performance.now(), process.cpuUsage()];
  const { result, rows } = await verifying.run(organizationId, { scope: { kind } });
  const { user, system } = process.cpuUsage(before);
  const perSecond = rows / ((performance.now() - started) / 1000);
  const residentMiB = Math.round(process.resourceUsage().maxRSS / 1024);
  process.send({ result, rows, perSecond, cpuMicros: (user + system) / rows, residentMiB });
  await pool.end();
  process.disconnect();
});
