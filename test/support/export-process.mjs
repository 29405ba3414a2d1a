// A process that writes audit exports over and over, to be killed in the middle. Arguments: folder of the compiled product, URL of
// the application's database, folder of the files, rows of a piece, seconds of a lease.
const [, , dist, appUrl, folder, rows, leaseSeconds] = process.argv;
const load = (path) => import(`${dist}/${path}.js`);
const exportsOf = (name) => load(`modules/audit/app/exports/${name}`);
const infra = (name) => load(`modules/audit/infra/${name}`);

const { openPool } = await load('platform/database/connection');
const { PrismaUnitOfWork } = await load('platform/database/prisma-unit-of-work');
const { LocalContentStore } = await load('platform/files/local-content-store');
const { SystemClock } = await load('kernel/time');
const { NoncePool } = await infra('nonce-pool');
const { PrismaTransactionalAudit } = await infra('prisma-transactional-audit');
const { PrismaAuditExports } = await infra('prisma-audit-exports');
const { PostgresAuditLog } = await infra('postgres-audit-log');
const { PostgresExportedEntries } = await infra('postgres-exported-entries');
const [{ ExportAudit }, { ExportHeaders }, { HeldRows }, { RunAuditExport }] = await Promise.all(
  ['export-audit', 'export-headers', 'held-rows', 'run-audit-export'].map(exportsOf),
);

const pool = openPool({ url: appUrl, size: 4, waitMs: 5000, name: 'export-worker', onError: () => undefined });
const store = new PrismaAuditExports(pool, Number(leaseSeconds));
const [log, entries] = [new PostgresAuditLog(pool), new PostgresExportedEntries(pool)];
const parts = { headers: new ExportHeaders(log, entries, 'gateway.test'), held: new HeldRows(log, entries) };
const audit = new ExportAudit(new PrismaTransactionalAudit(new NoncePool()), new SystemClock());
const files = new LocalContentStore(folder);
const unitOfWork = new PrismaUnitOfWork(pool, 5000);
const running = new RunAuditExport(unitOfWork, store, entries, parts, files, audit, Number(rows));
process.stdout.write('ready\n');
const going = new AbortController();
for (;;) {
  for (const { organizationId, exportId } of await store.open(10))
    process.stdout.write(
      `${await running.run(organizationId, exportId, going.signal).catch((error) => error.stack)}\n`,
    );
  await new Promise((wait) => setTimeout(wait, 50));
}
