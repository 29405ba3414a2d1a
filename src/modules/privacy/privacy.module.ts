import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { CONSISTENT_READS, type ConsistentReads } from '../../kernel/ports/consistent-reads.js';
import { JOB_QUEUE, type JobQueue } from '../../kernel/ports/queue.js';
import { RESTORE_JOURNAL, type RestoreJournal } from '../../kernel/ports/restore-journal.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { fileFolders } from '../../platform/files/file-folders.js';
import { LocalContentStore } from '../../platform/files/local-content-store.js';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { ApprovalsModule } from '../approvals/index.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { DELETION_RECORDS, DeletionRecordsModule, type DeletionRecords } from '../deletion/index.js';
import { RETENTION_RULES, type RetentionRules } from '../retention/index.js';
import { AccessFiles } from './app/access-files.js';
import { ErasureRecords } from './app/erasure-records.js';
import { ManagePrivacyRequests } from './app/manage-privacy-requests.js';
import { PreviewErasure } from './app/preview-erasure.js';
import type { PrivacyParts } from './app/privacy-parts.js';
import { ResumePrivacyRequests } from './app/resume-privacy-requests.js';
import { RunAccess } from './app/run-access.js';
import { RunErasure } from './app/run-erasure.js';
import { RunPrivacyRequest } from './app/run-privacy-request.js';
import { StartPrivacyRequest } from './app/start-privacy-request.js';
import { SubjectRegister } from './app/subject-register.js';
import { PrivacyFilesController } from './http/privacy-files.controller.js';
import { PrivacyRequestsController } from './http/privacy-requests.controller.js';
import { PrivacyRunsController } from './http/privacy-runs.controller.js';
import { PostgresPrivacyRequests } from './infra/postgres-privacy-requests.js';
import { PrivacyRequestJobs } from './jobs/privacy-request-jobs.js';
import { PrivacyReplayModule } from './privacy-replay.module.js';

const PARTS = Symbol('PrivacyParts');
const FILES = Symbol('PrivacyFiles');

const useCase = <T>(type: new (parts: PrivacyParts) => T) => ({
  provide: type,
  inject: [PARTS],
  useFactory: (parts: PrivacyParts) => new type(parts),
});

/** Requests, for those who answer them and for those who carry them out. */
@Module({
  imports: [ApprovalsModule, AuditModule, PrivacyReplayModule],
  providers: [
    {
      provide: FILES,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new LocalContentStore(fileFolders(settings).privacy_file),
    },
    {
      provide: PreviewErasure,
      inject: [SubjectRegister, RETENTION_RULES, CLOCK],
      useFactory: (register: SubjectRegister, rules: RetentionRules, clock: Clock) =>
        new PreviewErasure(register, rules, clock),
    },
    {
      provide: PARTS,
      inject: [
        ...[UNIT_OF_WORK, CONSISTENT_READS, PostgresPrivacyRequests, SubjectRegister, PreviewErasure],
        ...[APPROVALS, RESTORE_JOURNAL, JOB_QUEUE, TRANSACTIONAL_AUDIT, CLOCK],
      ],
      useFactory: (
        unitOfWork: UnitOfWork,
        reads: ConsistentReads,
        store: PostgresPrivacyRequests,
        register: SubjectRegister,
        preview: PreviewErasure,
        approvals: Approvals,
        journal: RestoreJournal,
        queue: JobQueue,
        audit: TransactionalAudit,
        clock: Clock,
      ): PrivacyParts => ({
        ...{ unitOfWork, reads, store, register, preview, approvals, journal, queue, audit, clock },
      }),
    },
    useCase(ManagePrivacyRequests),
    useCase(StartPrivacyRequest),
    {
      provide: AccessFiles,
      inject: [PARTS, FILES],
      useFactory: (parts: PrivacyParts, files: LocalContentStore) => new AccessFiles(parts, files),
    },
  ],
  exports: [PARTS, FILES, ManagePrivacyRequests, StartPrivacyRequest, AccessFiles, PrivacyReplayModule],
})
class PrivacyModule {}

/** The admin API of the module. */
@Module({
  imports: [PrivacyModule],
  controllers: [PrivacyFilesController, PrivacyRequestsController, PrivacyRunsController],
})
export class PrivacyAdminModule {}

/** Carries requests out, in processes that take jobs. */
@Module({
  imports: [PrivacyModule, DeletionRecordsModule],
  providers: [
    {
      provide: RunPrivacyRequest,
      inject: [PARTS, RETENTION_RULES, DELETION_RECORDS, FILES],
      useFactory: (parts: PrivacyParts, rules: RetentionRules, records: DeletionRecords, files: LocalContentStore) => {
        const erasure = new RunErasure(parts, rules, new ErasureRecords(records));
        return new RunPrivacyRequest(parts, erasure, new RunAccess(parts, files));
      },
    },
    {
      provide: PrivacyRequestJobs,
      inject: [QueueWorkers, RunPrivacyRequest, PARTS],
      useFactory: (workers: QueueWorkers, running: RunPrivacyRequest, parts: PrivacyParts) =>
        new PrivacyRequestJobs(workers, running, new ResumePrivacyRequests(parts), new Logger('PrivacyRequests')),
    },
  ],
})
export class PrivacyJobsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(@Inject(PrivacyRequestJobs) private readonly jobs: PrivacyRequestJobs) {}

  onApplicationBootstrap(): void {
    this.jobs.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.jobs.stop();
  }
}
