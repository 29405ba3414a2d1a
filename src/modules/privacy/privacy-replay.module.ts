import { Module } from '@nestjs/common';
import type pg from 'pg';
import { ERASURE_REPLAY, RESTORE_JOURNAL, type RestoreJournal } from '../../kernel/ports/restore-journal.js';
import { SUBJECT_DATA, type SubjectData } from '../../kernel/ports/subject-data.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { CataloguedSubjectData } from '../../platform/database/catalogued-subject-data.js';
import { POOL } from '../../platform/database/database.module.js';
import { AuditSubjectDataModule } from '../audit/index.js';
import { AuthSubjectDataModule } from '../auth/index.js';
import { AuthorizationServerSubjectDataModule } from '../authorization-server/index.js';
import { HoldSubjectDataModule } from '../holds/index.js';
import { RedactionSubjectDataModule } from '../redaction/index.js';
import { RestoreJournalModule } from '../restore-journal/index.js';
import { RETENTION_RULES, RetentionModule, type RetentionRules, VERIFIED_ERASURES } from '../retention/index.js';
import { StaffSubjectDataModule } from '../staff/index.js';
import { COPIES, PROOFS } from './app/catalogued-places.js';
import { OpenErasures } from './app/open-erasures.js';
import { ReplayErasure } from './app/replay-erasure.js';
import { SubjectRegister } from './app/subject-register.js';
import { PostgresPrivacyRequests } from './infra/postgres-privacy-requests.js';
import { SealedSubjects } from './infra/sealed-subjects.js';

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
  holds: SubjectData,
  redaction: SubjectData,
  sign: SubjectData,
  auth: SubjectData,
  staff: SubjectData,
): SubjectRegister {
  const copies = new CataloguedSubjectData(COPIES);
  const proofs = new CataloguedSubjectData(PROOFS);
  return new SubjectRegister([copies, audit, holds, redaction, sign, auth, staff, proofs]);
}

/** Where data of persons is, and how it is erased: also for whoever replays the restore journal. */
@Module({
  imports: [
    AuditSubjectDataModule,
    AuthSubjectDataModule,
    AuthorizationServerSubjectDataModule,
    HoldSubjectDataModule,
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
        SUBJECT_DATA.holds,
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
