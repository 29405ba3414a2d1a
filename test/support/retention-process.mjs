// A process that carries out retention runs over and over, to be killed in the middle. Arguments: folder of the compiled product,
// URL of the application's database, records of a batch.
const [, , dist, appUrl, most] = process.argv;
const load = (path) => import(`${dist}/${path}.js`);
const app = (name) => load(`modules/deletion/app/${name}`);

const { openPool } = await load('platform/database/connection');
const { PrismaUnitOfWork } = await load('platform/database/prisma-unit-of-work');
const { SystemClock } = await load('kernel/time');
const { NoncePool } = await load('modules/audit/infra/nonce-pool');
const { PrismaTransactionalAudit } = await load('modules/audit/infra/prisma-transactional-audit');
const { ReadRulesInForce } = await load('modules/retention/app/read-rules-in-force');
const { SqlRetentionVersions } = await load('modules/retention/infra/sql-retention-versions');
const { SqlRooftopPlaces } = await load('modules/retention/infra/sql-rooftop-places');
const { PruneAuditLog } = await load('modules/audit/app/prune-audit-log');
const { SupersededExports } = await load('modules/audit/app/exports/superseded-exports');
const { ExportAudit } = await load('modules/audit/app/exports/export-audit');
const { PostgresAuditLog } = await load('modules/audit/infra/postgres-audit-log');
const { PostgresAuditPruning } = await load('modules/audit/infra/postgres-audit-pruning');
const { PrismaAuditExports } = await load('modules/audit/infra/prisma-audit-exports');
const { RecordRedaction } = await load('modules/redaction/app/record-redaction');
const { AuditTrailDisposer } = await load('modules/deletion/infra/audit-trail-disposer');
const { AuditRedactionDisposer } = await load('modules/deletion/infra/audit-redaction-disposer');
const { GovernedTableDisposer } = await load('modules/deletion/infra/governed-table-disposer');
const { PostgresDeletionRecords } = await load('modules/deletion/infra/postgres-deletion-records');
const { PostgresRunStore } = await load('modules/deletion/infra/postgres-run-store');
const { PrismaPreviewReads } = await load('modules/deletion/infra/prisma-preview-reads');
const [{ BeginRun }, { CarryOutRun }, { ConcludeRun }, { MeasureRun }, { PreviewRun }] = await Promise.all(
  ['begin-run', 'carry-out-run', 'conclude-run', 'measure-run', 'preview-run'].map(app),
);
const [{ RunAudit }, { TakeBatches }, { WatchClocks }, { WriteDeletionRecord }] = await Promise.all(
  ['run-audit', 'take-batches', 'watch-clocks', 'write-deletion-record'].map(app),
);

const clock = new SystemClock();
const pool = openPool({ url: appUrl, size: 4, waitMs: 2000, name: 'retention-worker', onError: () => undefined });
const unitOfWork = new PrismaUnitOfWork(pool, 2000);
const store = new PostgresRunStore(pool);
const plainAudit = new PrismaTransactionalAudit(new NoncePool());
const pruning = new PruneAuditLog(
  new PostgresAuditPruning(),
  new PostgresAuditLog(pool),
  unitOfWork,
  plainAudit,
  clock,
);
const exports = new SupersededExports(unitOfWork, new PrismaAuditExports(pool), new ExportAudit(plainAudit, clock));
const measuring = new MeasureRun(
  [
    new AuditTrailDisposer(pruning),
    new AuditRedactionDisposer(pruning, new RecordRedaction(plainAudit, exports, clock)),
    new GovernedTableDisposer('delete'),
    new GovernedTableDisposer('anonymise'),
  ],
  store,
);
const audit = new RunAudit(plainAudit, clock);
const residual = { vacuum: undefined, wal: undefined, backups: undefined };
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
const steps = {
  previewing: new PreviewRun(parts),
  beginning: new BeginRun(parts, 1),
  batches: new TakeBatches(parts, { most: Number(most) }),
  clocks: () => new WatchClocks(unitOfWork, store, clock),
};
const carrying = new CarryOutRun(parts, steps, { error: (message) => process.stderr.write(`${message}\n`) });
process.stdout.write('ready\n');
const going = new AbortController();
for (;;) {
  const open = await store.open(10).catch(() => []);
  for (const { organizationId, runId } of open) {
    const outcome = await carrying.run(organizationId, runId, going.signal).catch((error) => String(error));
    process.stdout.write(`${outcome}\n`);
  }
  await new Promise((wait) => setTimeout(wait, 50));
}
