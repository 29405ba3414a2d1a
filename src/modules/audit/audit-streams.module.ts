import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { EgressClient } from '../../platform/egress/egress-client.js';
import { extraAuthorities } from '../../platform/egress/extra-authorities.js';
import { Ticker } from '../../platform/ticker.js';
import { AuditModule } from './audit.module.js';
import { ChangeAuditStream } from './app/streams/change-audit-stream.js';
import { DeliverAuditStreams } from './app/streams/deliver-audit-streams.js';
import { ManageAuditStreams } from './app/streams/manage-audit-streams.js';
import { StreamAudit } from './app/streams/stream-audit.js';
import { TRANSACTIONAL_AUDIT, type TransactionalAudit } from './app/transactional-audit.js';
import { AuditStreamChangesController } from './http/audit-stream-changes.controller.js';
import { AuditStreamsController } from './http/audit-streams.controller.js';
import { PostgresExportedEntries } from './infra/postgres-exported-entries.js';
import { PostgresStreamDeliveries } from './infra/postgres-stream-deliveries.js';
import { PrismaAuditStreams } from './infra/prisma-audit-streams.js';
import { SealedStreamSecrets } from './infra/sealed-stream-secrets.js';
import { WebhookSender } from './infra/webhook-sender.js';

const EVERY_MS = 500;
const EGRESS = Symbol('AuditStreamEgress');

/** Streams of the trail, for those who manage them and for those who deliver. */
@Module({
  imports: [AuditModule],
  providers: [
    PrismaAuditStreams,
    {
      provide: SealedStreamSecrets,
      inject: [SETTINGS],
      useFactory: async (settings: Settings) => {
        const { current, previous } = await readSecrets(settings);
        const older = previous === null ? [] : [deriveKey(previous, 'audit-stream')];
        return new SealedStreamSecrets([deriveKey(current, 'audit-stream'), ...older]);
      },
    },
    {
      provide: StreamAudit,
      inject: [UNIT_OF_WORK, TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, audit: TransactionalAudit, clock: Clock) =>
        new StreamAudit(unitOfWork, audit, clock),
    },
    {
      provide: ManageAuditStreams,
      inject: [UNIT_OF_WORK, PrismaAuditStreams, SealedStreamSecrets, StreamAudit, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        store: PrismaAuditStreams,
        secrets: SealedStreamSecrets,
        audit: StreamAudit,
        clock: Clock,
      ) => new ManageAuditStreams(unitOfWork, store, secrets, audit, clock),
    },
    {
      provide: ChangeAuditStream,
      inject: [UNIT_OF_WORK, PrismaAuditStreams, SealedStreamSecrets, StreamAudit, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        store: PrismaAuditStreams,
        secrets: SealedStreamSecrets,
        audit: StreamAudit,
        clock: Clock,
      ) => new ChangeAuditStream(unitOfWork, store, secrets, audit, clock),
    },
  ],
  exports: [ChangeAuditStream, ManageAuditStreams, SealedStreamSecrets, StreamAudit],
})
class AuditStreamsModule {}

/** The admin API of streams. */
@Module({ imports: [AuditStreamsModule], controllers: [AuditStreamsController, AuditStreamChangesController] })
export class AuditStreamsAdminModule {}

/** Delivers streams, in processes that take jobs; any number of them. */
@Module({
  imports: [AuditStreamsModule],
  providers: [
    {
      provide: EGRESS,
      inject: [SETTINGS],
      useFactory: (settings: Settings) =>
        new EgressClient(settings.EGRESS_ALLOWED_HOSTS, undefined, extraAuthorities(settings.EGRESS_CA_FILE)),
    },
    {
      provide: DeliverAuditStreams,
      inject: [POOL, EGRESS, SealedStreamSecrets, StreamAudit, CLOCK, SETTINGS],
      useFactory: (
        pool: pg.Pool,
        egress: EgressClient,
        secrets: SealedStreamSecrets,
        audit: StreamAudit,
        clock: Clock,
        settings: Settings,
      ) => {
        const sender = new WebhookSender(egress, secrets, clock);
        const entries = new PostgresExportedEntries(pool);
        const options = { gatewayId: settings.GATEWAY_ID };
        return new DeliverAuditStreams(
          new PostgresStreamDeliveries(pool),
          entries,
          (held, batch) => sender.send(held, batch),
          audit,
          clock,
          options,
        );
      },
    },
  ],
})
export class AuditStreamsJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly ticker: Ticker;

  constructor(
    @Inject(DeliverAuditStreams) delivering: DeliverAuditStreams,
    @Inject(EGRESS) private readonly egress: EgressClient,
  ) {
    this.ticker = new Ticker('deliver audit streams', EVERY_MS, () => delivering.run(), new Logger('AuditStreams'));
  }

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ticker.stop();
    await this.egress.close();
  }
}
