// A process that delivers audit streams over and over, to be killed in the middle. Arguments: folder of the compiled product, URL of
// the application's database, address that may be reached although it is private, seconds of a lease, key of the secrets in hex.
const [, , dist, appUrl, authority, leaseSeconds, key] = process.argv;
const load = (path) => import(`${dist}/${path}.js`);
const infra = (name) => load(`modules/audit/infra/${name}`);

const { openPool } = await load('platform/database/connection');
const { PrismaUnitOfWork } = await load('platform/database/prisma-unit-of-work');
const { EgressClient } = await load('platform/egress/egress-client');
const { SystemClock } = await load('kernel/time');
const { DeliverAuditStreams } = await load('modules/audit/app/streams/deliver-audit-streams');
const { StreamAudit } = await load('modules/audit/app/streams/stream-audit');
const { NoncePool } = await infra('nonce-pool');
const { PrismaTransactionalAudit } = await infra('prisma-transactional-audit');
const { PostgresStreamDeliveries } = await infra('postgres-stream-deliveries');
const { PostgresExportedEntries } = await infra('postgres-exported-entries');
const { SealedStreamSecrets } = await infra('sealed-stream-secrets');
const { WebhookSender } = await infra('webhook-sender');

const clock = new SystemClock();
const pool = openPool({ url: appUrl, size: 4, waitMs: 5000, name: 'stream-worker', onError: () => undefined });
const audit = new StreamAudit(new PrismaUnitOfWork(pool, 5000), new PrismaTransactionalAudit(new NoncePool()), clock);
const secrets = new SealedStreamSecrets([Buffer.from(key, 'hex')]);
const sender = new WebhookSender(new EgressClient([authority]), secrets, clock);
const delivering = new DeliverAuditStreams(
  new PostgresStreamDeliveries(pool, Number(leaseSeconds)),
  new PostgresExportedEntries(pool),
  (held, batch) => sender.send(held, batch),
  audit,
  clock,
  { gatewayId: 'gateway.test', retryMs: 5 },
);
process.stdout.write('ready\n');
for (;;) {
  await delivering.run();
  await new Promise((wait) => setTimeout(wait, 20));
}
