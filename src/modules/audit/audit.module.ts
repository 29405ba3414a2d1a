import { Inject, Logger, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AUDIT_RECORDER } from '../../kernel/ports/audit-recorder.js';
import { POOL_FACTORY, type PoolFactory } from '../../platform/database/database.module.js';
import { TRANSACTIONAL_AUDIT } from './app/transactional-audit.js';
import { AUDIT_CONNECTIONS, GroupCommitAuditRecorder } from './infra/group-commit-audit-recorder.js';
import { NoncePool } from './infra/nonce-pool.js';
import { PrismaTransactionalAudit } from './infra/prisma-transactional-audit.js';

const DAY_MS = 86_400_000;
// Together the time after which a waiting caller learns that the audit store is away: about two seconds.
const CONNECT_MS = 1000;
const STATEMENT_MS = 1800;

/** The audit trail: AUDIT_RECORDER for calls, TRANSACTIONAL_AUDIT for changes. */
@Module({
  providers: [
    NoncePool,
    {
      provide: AUDIT_RECORDER,
      inject: [POOL_FACTORY, NoncePool],
      useFactory: (open: PoolFactory, nonces: NoncePool) =>
        new GroupCommitAuditRecorder(
          open({ name: 'forecourt-audit', size: AUDIT_CONNECTIONS, waitMs: CONNECT_MS, statementMs: STATEMENT_MS }),
          nonces,
        ),
    },
    {
      provide: TRANSACTIONAL_AUDIT,
      inject: [NoncePool],
      useFactory: (nonces: NoncePool) => new PrismaTransactionalAudit(nonces),
    },
  ],
  exports: [AUDIT_RECORDER, TRANSACTIONAL_AUDIT],
})
export class AuditModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(AuditModule.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(AUDIT_RECORDER) private readonly recorder: GroupCommitAuditRecorder) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.maintain();
    this.timer = setInterval(() => void this.maintain(), DAY_MS).unref();
  }

  /** Last phase of the shutdown: open requests have been answered, so nothing new is recorded. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.recorder.close();
  }

  // A missed run is made good by the next one, or by the recorder itself when a month has no partition.
  private async maintain(): Promise<void> {
    await this.recorder.maintain().catch((error: unknown) => {
      this.logger.warn(`the audit partitions could not be prepared: ${String(error)}`);
    });
  }
}
