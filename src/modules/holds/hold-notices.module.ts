import {
  type BeforeApplicationShutdown,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type pg from 'pg';
import { WebhookSecrets } from '../../kernel/delivery/webhook-secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { MailFolder } from '../../platform/delivery/mail-folder.js';
import { readWebhookSecrets } from '../../platform/delivery/read-webhook-secrets.js';
import { SignedWebhook } from '../../platform/delivery/signed-webhook.js';
import { EgressClient } from '../../platform/egress/egress-client.js';
import { extraAuthorities } from '../../platform/egress/extra-authorities.js';
import { publicUrlOf } from '../../platform/http/public-url.js';
import { STAFF_ROSTER, StaffModule, type StaffRoster } from '../staff/index.js';
import { DeliverHoldNotices } from './app/deliver-hold-notices.js';
import { HoldNotices } from './app/hold-notices.js';
import type { HoldParts } from './app/hold-parts.js';
import { ManageNoticeTargets } from './app/manage-notice-targets.js';
import type { NoticeParts } from './app/notice-parts.js';
import { RemindOfHolds } from './app/remind-of-holds.js';
import { HOLD_PARTS, HoldsModule } from './holds.module.js';
import { HoldNoticesController } from './http/hold-notices.controller.js';
import { NoticeTargetsController } from './http/notice-targets.controller.js';
import { NoticeMail } from './infra/notice-mail.js';
import { NoticeWebhook } from './infra/notice-webhook.js';
import { PostgresNoticeDeliveries } from './infra/postgres-notice-deliveries.js';
import { PostgresNoticeTargets } from './infra/postgres-notice-targets.js';
import { PostgresNotices } from './infra/postgres-notices.js';
import { NoticeJobs } from './jobs/notice-jobs.js';

const HOUR_MS = 3_600_000;
const NOTICE_PARTS = Symbol('NoticeParts');
const EGRESS = Symbol('EgressClient');
const secretsProvider = {
  provide: WebhookSecrets,
  inject: [SETTINGS],
  useFactory: (settings: Settings) => readWebhookSecrets(settings, 'hold-webhook'),
};

/** Notices of holds: what telling, reminding and sending work with. */
@Module({
  imports: [HoldsModule],
  providers: [
    { provide: PostgresNotices, inject: [POOL], useFactory: (pool: pg.Pool) => new PostgresNotices(pool) },
    {
      provide: PostgresNoticeDeliveries,
      inject: [POOL],
      useFactory: (pool: pg.Pool) => new PostgresNoticeDeliveries(pool),
    },
    {
      provide: NOTICE_PARTS,
      inject: [HOLD_PARTS, PostgresNotices, PostgresNoticeDeliveries],
      useFactory: (parts: HoldParts, notices: PostgresNotices, outbox: PostgresNoticeDeliveries): NoticeParts => ({
        ...parts,
        notices,
        outbox,
        targets: new PostgresNoticeTargets(),
      }),
    },
  ],
  exports: [NOTICE_PARTS, PostgresNotices, PostgresNoticeDeliveries],
})
class HoldNoticesModule {}

/** The admin API of notices and of where they are sent. */
@Module({
  imports: [HoldNoticesModule, StaffModule],
  controllers: [HoldNoticesController, NoticeTargetsController],
  providers: [
    secretsProvider,
    {
      provide: HoldNotices,
      inject: [NOTICE_PARTS, STAFF_ROSTER, SETTINGS],
      useFactory: (parts: NoticeParts, roster: StaffRoster, settings: Settings) =>
        new HoldNotices({ ...parts, roster }, settings.HOLD_REMINDER_HOURS * HOUR_MS),
    },
    {
      provide: ManageNoticeTargets,
      inject: [NOTICE_PARTS, STAFF_ROSTER, WebhookSecrets, SETTINGS],
      useFactory: (parts: NoticeParts, roster: StaffRoster, secrets: WebhookSecrets, settings: Settings) =>
        new ManageNoticeTargets({ ...parts, roster, secrets, mail: settings.AUDIT_MAIL_DIR !== undefined }),
    },
  ],
})
export class HoldNoticesAdminModule {}

/** Reminds of notices and sends them, in processes that take jobs. */
@Module({
  imports: [HoldNoticesModule],
  providers: [
    secretsProvider,
    {
      provide: EGRESS,
      inject: [SETTINGS],
      useFactory: (settings: Settings) =>
        new EgressClient(settings.EGRESS_ALLOWED_HOSTS, undefined, extraAuthorities(settings.EGRESS_CA_FILE)),
    },
    {
      provide: RemindOfHolds,
      inject: [NOTICE_PARTS, PostgresNotices, SETTINGS],
      useFactory: (parts: NoticeParts, dueNotices: PostgresNotices, settings: Settings) =>
        new RemindOfHolds({ ...parts, dueNotices }, settings.HOLD_REMINDER_HOURS * HOUR_MS),
    },
    {
      provide: DeliverHoldNotices,
      inject: [NOTICE_PARTS, PostgresNoticeDeliveries, EGRESS, WebhookSecrets, SETTINGS],
      useFactory: (
        parts: NoticeParts,
        progress: PostgresNoticeDeliveries,
        egress: EgressClient,
        secrets: WebhookSecrets,
        settings: Settings,
      ) => {
        const url = publicUrlOf(settings);
        const webhook = new NoticeWebhook(new SignedWebhook(egress, secrets, parts.clock), url);
        const mail = new NoticeMail(new MailFolder(settings.AUDIT_MAIL_DIR), settings.AUDIT_MAIL_FROM, url);
        return new DeliverHoldNotices({ ...parts, progress, carriers: { webhook, mail } });
      },
    },
    {
      provide: NoticeJobs,
      inject: [RemindOfHolds, DeliverHoldNotices],
      useFactory: (reminding: RemindOfHolds, delivering: DeliverHoldNotices) =>
        new NoticeJobs(reminding, delivering, new Logger('Holds')),
    },
  ],
})
export class HoldNoticesJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    @Inject(NoticeJobs) private readonly jobs: NoticeJobs,
    @Inject(EGRESS) private readonly egress: EgressClient,
  ) {}

  onApplicationBootstrap(): void {
    this.jobs.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
