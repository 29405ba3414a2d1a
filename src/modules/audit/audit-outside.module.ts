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
import { AUDIT_RECORDER, type AuditRecorder } from '../../kernel/ports/audit-recorder.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { MailFolder } from '../../platform/delivery/mail-folder.js';
import { readWebhookSecrets } from '../../platform/delivery/read-webhook-secrets.js';
import { SignedWebhook } from '../../platform/delivery/signed-webhook.js';
import { EgressClient } from '../../platform/egress/egress-client.js';
import { extraAuthorities } from '../../platform/egress/extra-authorities.js';
import { Ticker } from '../../platform/ticker.js';
import { AuditHealthModule } from './audit-health.module.js';
import { AuditModule } from './audit.module.js';
import { AuditHealth } from './app/audit-health.js';
import { AuditKeys } from './app/audit-keys.js';
import { LogProofs } from './app/log-proofs.js';
import { ChangeAuditTarget } from './app/outside/change-audit-target.js';
import { DeliverStatements } from './app/outside/deliver-statements.js';
import { ManageAuditTargets, type ManageAuditTargetsParts } from './app/outside/manage-audit-targets.js';
import { TargetAudit } from './app/outside/target-audit.js';
import { WitnessCheckpoints } from './app/outside/witness-checkpoints.js';
import { TRANSACTIONAL_AUDIT, type TransactionalAudit } from './app/transactional-audit.js';
import { AuditHealthController } from './http/audit-health.controller.js';
import { AuditTargetChangesController } from './http/audit-target-changes.controller.js';
import { AuditTargetsController } from './http/audit-targets.controller.js';
import { LogProofsController } from './http/log-proofs.controller.js';
import { EgressWitnessClient } from './infra/outside/egress-witness-client.js';
import { MailCarrier } from './infra/outside/mail-carrier.js';
import { PostgresTargetProgress } from './infra/outside/postgres-target-progress.js';
import { PrismaAuditTargetStore } from './infra/outside/prisma-audit-target-store.js';
import { PrismaDeliveredStatements } from './infra/outside/prisma-delivered-statements.js';
import { WebhookCarrier } from './infra/outside/webhook-carrier.js';
import { PostgresAuditLog } from './infra/postgres-audit-log.js';
import { readAuditKeys } from './infra/read-audit-keys.js';

const EGRESS = Symbol('EgressClient');
const PARTS = Symbol('AuditTargetParts');
const WITNESS_EVERY_MS = 1000;
const STATEMENTS_EVERY_MS = 30_000;
const HEALTH_EVERY_MS = 5000;

const secretsProvider = {
  provide: WebhookSecrets,
  inject: [SETTINGS],
  useFactory: (settings: Settings) => readWebhookSecrets(settings, 'audit-webhook'),
};

/** Targets, proofs and keys over the admin API, and the health of the trail for probes. */
@Module({
  imports: [AuditModule, AuditHealthModule],
  controllers: [AuditTargetsController, AuditTargetChangesController, LogProofsController, AuditHealthController],
  providers: [
    secretsProvider,
    { provide: AuditKeys, inject: [SETTINGS], useFactory: readAuditKeys },
    { provide: LogProofs, inject: [POOL], useFactory: (pool: pg.Pool) => new LogProofs(new PostgresAuditLog(pool)) },
    {
      provide: PARTS,
      inject: [UNIT_OF_WORK, TRANSACTIONAL_AUDIT, WebhookSecrets, CLOCK, SETTINGS],
      useFactory: (
        unitOfWork: UnitOfWork,
        audit: TransactionalAudit,
        secrets: WebhookSecrets,
        clock: Clock,
        settings: Settings,
      ): ManageAuditTargetsParts => ({
        unitOfWork,
        store: new PrismaAuditTargetStore(),
        audit: new TargetAudit(audit, clock),
        secrets,
        clock,
        mail: settings.AUDIT_MAIL_DIR !== undefined,
      }),
    },
    ...[ManageAuditTargets, ChangeAuditTarget].map((UseCase) => ({
      provide: UseCase,
      inject: [PARTS],
      useFactory: (parts: ManageAuditTargetsParts) => new UseCase(parts),
    })),
  ],
})
export class AuditOutsideAdminModule {}

/** Shows checkpoints to witnesses, sends statements, and watches. Any number of processes may run it. */
@Module({
  imports: [AuditModule, AuditHealthModule],
  providers: [
    secretsProvider,
    {
      provide: EGRESS,
      inject: [SETTINGS],
      useFactory: (settings: Settings) =>
        new EgressClient(settings.EGRESS_ALLOWED_HOSTS, undefined, extraAuthorities(settings.EGRESS_CA_FILE)),
    },
    {
      provide: WitnessCheckpoints,
      inject: [POOL, EGRESS, AUDIT_RECORDER, CLOCK],
      useFactory: (pool: pg.Pool, egress: EgressClient, recorder: AuditRecorder, clock: Clock) =>
        new WitnessCheckpoints({
          progress: new PostgresTargetProgress(pool),
          store: new PostgresAuditLog(pool),
          client: new EgressWitnessClient(egress),
          recorder,
          clock,
          log: new Logger('AuditWitness'),
        }),
    },
    {
      provide: DeliverStatements,
      inject: [POOL, EGRESS, WebhookSecrets, UNIT_OF_WORK, TRANSACTIONAL_AUDIT, CLOCK, SETTINGS],
      useFactory: (
        pool: pg.Pool,
        egress: EgressClient,
        secrets: WebhookSecrets,
        unitOfWork: UnitOfWork,
        audit: TransactionalAudit,
        clock: Clock,
        settings: Settings,
      ) =>
        new DeliverStatements({
          progress: new PostgresTargetProgress(pool),
          delivered: new PrismaDeliveredStatements(),
          unitOfWork,
          audit,
          carriers: {
            webhook: new WebhookCarrier(new SignedWebhook(egress, secrets, clock), clock),
            mail: new MailCarrier(new MailFolder(settings.AUDIT_MAIL_DIR), settings.AUDIT_MAIL_FROM),
          },
          clock,
          gatewayId: settings.GATEWAY_ID,
        }),
    },
  ],
})
export class AuditOutsideJobsModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly tickers: readonly Ticker[];

  constructor(
    @Inject(WitnessCheckpoints) witnesses: WitnessCheckpoints,
    @Inject(DeliverStatements) statements: DeliverStatements,
    @Inject(AuditHealth) health: AuditHealth,
    @Inject(EGRESS) private readonly egress: EgressClient,
  ) {
    const log = new Logger('Audit');
    this.tickers = [
      new Ticker('show checkpoints to witnesses', WITNESS_EVERY_MS, () => witnesses.run(), log),
      new Ticker('send audit statements', STATEMENTS_EVERY_MS, () => statements.run(), log),
      new Ticker('watch the audit trail', HEALTH_EVERY_MS, () => health.report(), log),
    ];
  }

  onApplicationBootstrap(): void {
    for (const ticker of this.tickers) ticker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tickers.map((ticker) => ticker.stop()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
