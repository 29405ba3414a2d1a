// A process that sweeps under standing approvals, previews and carries out, over and over, to be killed in the middle. Arguments: folder of
// the compiled product, URL of the application's database.
const [, , dist, appUrl] = process.argv;
const load = (path) => import(`${dist}/${path}.js`);
const app = (name) => load(`modules/deletion/app/${name}`);
const infra = (name) => load(`modules/deletion/infra/${name}`);

const { openPool } = await load('platform/database/connection');
const { PrismaUnitOfWork } = await load('platform/database/prisma-unit-of-work');
const { SystemClock } = await load('kernel/time');
const { NoncePool } = await load('modules/audit/infra/nonce-pool');
const { PrismaTransactionalAudit } = await load('modules/audit/infra/prisma-transactional-audit');
const { ReadRulesInForce } = await load('modules/retention/app/read-rules-in-force');
const { SqlRetentionVersions } = await load('modules/retention/infra/sql-retention-versions');
const { SqlRooftopPlaces } = await load('modules/retention/infra/sql-rooftop-places');
const { GovernedTableDisposer } = await infra('governed-table-disposer');
const { PostgresDeletionRecords } = await infra('postgres-deletion-records');
const { PostgresRunStore } = await infra('postgres-run-store');
const { PostgresStandingApprovals } = await infra('postgres-standing-approvals');
const { PrismaPreviewReads } = await infra('prisma-preview-reads');
const [{ BeginRun }, { CarryOutRun }, { ConcludeRun }, { MeasureRun }, { PreviewRun }] = await Promise.all(
  ['begin-run', 'carry-out-run', 'conclude-run', 'measure-run', 'preview-run'].map(app),
);
const [{ RunAudit }, { SweepDaily }, { TakeBatches }, { WatchClocks }, { WriteDeletionRecord }] = await Promise.all(
  ['run-audit', 'sweep-daily', 'take-batches', 'watch-clocks', 'write-deletion-record'].map(app),
);

const clock = new SystemClock();
const pool = openPool({ url: appUrl, size: 4, waitMs: 5000, name: 'sweep-worker', onError: () => undefined });
const unitOfWork = new PrismaUnitOfWork(pool, 60_000);
const store = new PostgresRunStore(pool);
const plainAudit = new PrismaTransactionalAudit(new NoncePool());
const audit = new RunAudit(plainAudit, clock);
const measuring = new MeasureRun([new GovernedTableDisposer('delete')], store);
const residual = { vacuum: 1, wal: 7, backups: 35 };
const records = new WriteDeletionRecord(new PostgresDeletionRecords(), plainAudit, clock, {
  version: 'test',
  residual,
});
const parts = {
  unitOfWork,
  reads: new PrismaPreviewReads(unitOfWork),
  store,
  rules: new ReadRulesInForce(new SqlRetentionVersions(), new SqlRooftopPlaces()),
  measuring,
  concluding: new ConcludeRun(store, records, measuring, audit),
  audit,
  queue: { add: () => Promise.resolve() },
};
const clocks = () => new WatchClocks(unitOfWork, store, clock);
const beginning = new BeginRun(parts, 1);
const steps = { previewing: new PreviewRun(parts), beginning, batches: new TakeBatches(parts), clocks };
const carrying = new CarryOutRun(parts, steps, { error: (message) => process.stderr.write(`${message}\n`) });
const sweeping = new SweepDaily(parts, new PostgresStandingApprovals(pool), beginning, clocks);
process.stdout.write('ready\n');
for (;;) {
  await sweeping.run().catch((error) => process.stderr.write(`${String(error)}\n`));
  for (const { organizationId, runId } of await store.open(10).catch(() => [])) {
    const outcome = await carrying.run(organizationId, runId, new AbortController().signal).catch(String);
    process.stdout.write(`${outcome}\n`);
  }
  await new Promise((wait) => setTimeout(wait, 50));
}
