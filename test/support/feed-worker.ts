import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const WORKER = `
import { openPool } from './platform/database/connection.js';
import { PrismaUnitOfWork } from './platform/database/prisma-unit-of-work.js';
import { NoncePool } from './modules/audit/infra/nonce-pool.js';
import { PrismaTransactionalAudit } from './modules/audit/infra/prisma-transactional-audit.js';
import { PublishRun } from './modules/inventory/app/publish-run.js';
import { ResumeOpenRuns } from './modules/inventory/app/resume-open-runs.js';
import { RunFeedImport } from './modules/inventory/app/run-feed-import.js';
import { InventoryStores } from './modules/inventory/infra/inventory-stores.js';
import { InventoryJobs } from './modules/inventory/jobs/inventory-jobs.js';
import { PoliciesInForce } from './modules/tenancy/infra/policies-in-force.js';
import { PrismaDealerDirectory } from './modules/tenancy/infra/prisma-dealer-groups.js';
import { PrismaPolicyVersions } from './modules/tenancy/infra/prisma-policy-versions.js';
import { BullmqJobQueue } from './platform/queue/bullmq-job-queue.js';
import { queueBackend } from './platform/queue/queue-backend.js';
import { QueueWorkers } from './platform/queue/queue-workers.js';

const [url, filesDir, redis] = process.argv.slice(2);
const say = (kind, text) => process.stdout.write(JSON.stringify({ kind, text }) + '\\n');
const log = { log: (text) => say('log', text), warn: (text) => say('warn', text), error: (text) => say('error', text) };
const pool = openPool({ url, size: 4, waitMs: 5000, name: 'worker', onError: () => undefined });
const unitOfWork = new PrismaUnitOfWork(pool, 5000);
const clock = { now: () => Date.now() };
const stores = new InventoryStores(pool, new PrismaTransactionalAudit(new NoncePool()), clock, filesDir);
const directory = new PrismaDealerDirectory(unitOfWork, pool, clock, undefined, new PoliciesInForce(new PrismaPolicyVersions(), console));
const backend = queueBackend({ DATABASE_URL: url, REDIS_URL: redis });
const queue = new BullmqJobQueue(backend, (error) => log.warn(error.message));
const workers = new QueueWorkers(backend, queue, log);
const importing = new RunFeedImport(unitOfWork, stores, new PublishRun(unitOfWork, stores.publication, stores.audit), directory);
const idle = { run: async () => [] };
const jobs = new InventoryJobs(workers, { importing, resuming: new ResumeOpenRuns(stores.openRuns, queue), pulling: idle, scheduling: idle, scanning: idle }, log);
jobs.start();
say('ready', '');
process.on('SIGTERM', async () => {
  await jobs.stop();
  await workers.close(10000);
  await queue.close();
  await unitOfWork.close();
  await pool.end();
  process.exit(0);
});
`;

/** Another process that takes jobs, as in production, so that it can be killed. */
export async function startWorker(
  root: string,
  databaseUrl: string,
  filesDir: string,
  redisUrl = '',
): Promise<{ process: ChildProcess; lines: string[] }> {
  const script = join(root, 'worker.mjs');
  await writeFile(script, WORKER);
  const child = spawn(process.execPath, [script, databaseUrl, filesDir, ...(redisUrl === '' ? [] : [redisUrl])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (data: Buffer) => {
      lines.push(
        ...data
          .toString()
          .split('\n')
          .filter((line) => line !== ''),
      );
      if (lines.some((line) => line.includes('"ready"'))) resolve();
    });
    child.on('exit', () => {
      reject(new Error('the worker ended before it was ready'));
    });
  });
  child.removeAllListeners('exit');
  return { process: child, lines };
}
