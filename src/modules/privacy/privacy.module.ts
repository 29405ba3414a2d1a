import { type BeforeApplicationShutdown, Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { CONSISTENT_READS, type ConsistentReads } from '../../kernel/ports/consistent-reads.js';
import { JOB_QUEUE, type JobQueue } from '../../kernel/ports/queue.js';
import { ERASURE_REPLAY, RESTORE_JOURNAL, type RestoreJournal } from '../../kernel/ports/restore-journal.js';
import { SUBJECT_DATA, type SubjectData } from '../../kernel/ports/subject-data.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { CataloguedSubjectData } from '../../platform/database/catalogued-subject-data.js';
import { POOL } from '../../platform/database/database.module.js';
import { fileFolders } from '../../platform/files/file-folders.js';
import { LocalContentStore } from '../../platform/files/local-content-store.js';
import { QueueWorkers } from '../../platform/queue/queue-workers.js';
import { ApprovalsModule } from '../approvals/index.js';
import { AuditModule, AuditSubjectDataModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { AuthSubjectDataModule } from '../auth/index.js';
import { AuthorizationServerSubjectDataModule } from '../authorization-server/index.js';
import { DELETION_RECORDS, DeletionRecordsModule, type DeletionRecords } from '../deletion/index.js';
import { RedactionSubjectDataModule } from '../redaction/index.js';
import { RestoreJournalModule } from '../restore-journal/index.js';
import { RETENTION_RULES, RetentionModule, type RetentionRules, VERIFIED_ERASURES } from '../retention/index.js';
import { StaffSubjectDataModule } from '../staff/index.js';
import { AccessFiles } from './app/access-files.js';
import { COPIES, PROOFS } from './app/catalogued-places.js';
import { ErasureRecords } from './app/erasure-records.js';
import { ManagePrivacyRequests } from './app/manage-privacy-requests.js';
import { OpenErasures } from './app/open-erasures.js';
import { PreviewErasure } from './app/preview-erasure.js';
import type { PrivacyParts } from './app/privacy-parts.js';
import { ReplayErasure } from './app/replay-erasure.js';
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
import { SealedSubjects } from './infra/sealed-subjects.js';
import { PrivacyRequestJobs } from './jobs/privacy-request-jobs.js';

const PARTS = Symbol('PrivacyParts');
const FILES = Symbol('PrivacyFiles');

async function openStore(settings: Settings, pool: pg.Pool): Promise<PostgresPrivacyRequests> {
  const { current, previous } = await readSecrets(settings);
  const keys = [current, ...(previous === null ? [] : [previous])].map((secret) =>
    deriveKey(secret, 'privacy-subject'),
  );
  return new PostgresPrivacyRequests(pool, new SealedSubjects(keys as [Buffer, ...Buffer[]]));
}

/** Copies first, then the trail, and last what others are found by. What stays as proof comes at the end. */
function registerOf(
  audit: SubjectData,
  redaction: SubjectData,
  sign: SubjectData,
  auth: SubjectData,
  staff: SubjectData,
): SubjectRegister {
  const copies = new CataloguedSubjectData(COPIES);
  const proofs = new CataloguedSubjectData(PROOFS);
  return new SubjectRegister([copies, audit, redaction, sign, auth, staff, proofs]);
}

/** Where data of persons is, and how it is erased: also for whoever replays the restore journal. */
@Module({
  imports: [
    AuditSubjectDataModule,
    AuthSubjectDataModule,
    AuthorizationServerSubjectDataModule,
    RedactionSubjectDataModule,
    RestoreJournalModule,
    RetentionModule,
    StaffSubjectDataModule,
  ],
  providers: [
    { provide: PostgresPrivacyRequests, inject: [SETTINGS, POOL], useFactory: openStore },
    {
      provide: SubjectRegister,
      inject: [
        SUBJECT_DATA.audit,
        SUBJECT_DATA.redaction,
        SUBJECT_DATA.authorizationServer,
        SUBJECT_DATA.auth,
        SUBJECT_DATA.staff,
      ],
      useFactory: registerOf,
    },
    {
      provide: VERIFIED_ERASURES,
      inject: [PostgresPrivacyRequests, RESTORE_JOURNAL],
      useFactory: (store: PostgresPrivacyRequests, journal: RestoreJournal) => new OpenErasures(store, journal),
    },
    {
      provide: ERASURE_REPLAY,
      inject: [SubjectRegister, PostgresPrivacyRequests, RESTORE_JOURNAL, RETENTION_RULES, CLOCK],
      useFactory: (
        register: SubjectRegister,
        store: PostgresPrivacyRequests,
        journal: RestoreJournal,
        rules: RetentionRules,
        clock: Clock,
      ) => new ReplayErasure(register, store, journal, rules, clock),
    },
  ],
  exports: [
    ERASURE_REPLAY,
    VERIFIED_ERASURES,
    PostgresPrivacyRequests,
    SubjectRegister,
    RestoreJournalModule,
    RetentionModule,
  ],
})
export class PrivacyReplayModule {}

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
