// A process that sends notices of holds over and over, to be killed in the middle. Arguments: folder of the compiled product, URL of the
// application's database, address that may be reached although it is private, key of the secrets in hex, milliseconds of a lease.
const [, , dist, appUrl, authority, key, leaseMs] = process.argv;
const load = (path) => import(`${dist}/${path}.js`);
const infra = (name) => load(`modules/holds/infra/${name}`);

const { openPool } = await load('platform/database/connection');
const { PrismaUnitOfWork } = await load('platform/database/prisma-unit-of-work');
const { SignedWebhook } = await load('platform/delivery/signed-webhook');
const { EgressClient } = await load('platform/egress/egress-client');
const { WebhookSecrets } = await load('kernel/delivery/webhook-secrets');
const { SystemClock } = await load('kernel/time');
const { NoncePool } = await load('modules/audit/infra/nonce-pool');
const { PrismaTransactionalAudit } = await load('modules/audit/infra/prisma-transactional-audit');
const { DeliverHoldNotices } = await load('modules/holds/app/deliver-hold-notices');
const { NoticeWebhook } = await infra('notice-webhook');
const { PostgresHolds } = await infra('postgres-holds');
const { PostgresNotices } = await infra('postgres-notices');
const { PostgresNoticeDeliveries } = await infra('postgres-notice-deliveries');

const clock = new SystemClock();
const pool = openPool({ url: appUrl, size: 4, waitMs: 5000, name: 'notices', onError: () => undefined });
const signed = new SignedWebhook(new EgressClient([authority]), new WebhookSecrets([Buffer.from(key, 'hex')]), clock);
const webhook = new NoticeWebhook(signed, 'https://gateway.example');
const delivering = new DeliverHoldNotices(
  {
    unitOfWork: new PrismaUnitOfWork(pool, 5000),
    audit: new PrismaTransactionalAudit(new NoncePool()),
    holds: new PostgresHolds(),
    notices: new PostgresNotices(pool),
    progress: new PostgresNoticeDeliveries(pool),
    carriers: { webhook, mail: webhook },
    clock,
  },
  Number(leaseMs),
);
process.stdout.write('ready\n');
for (;;) {
  await delivering.run();
  await new Promise((wait) => setTimeout(wait, 20));
}
