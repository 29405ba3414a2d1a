import { Module } from '@nestjs/common';
import type pg from 'pg';
import { AUDIT_RECORDER, type AuditRecorder } from '../../kernel/ports/audit-recorder.js';
import { RATE_LIMITER, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { REVOCATION_JOURNAL, type RevocationJournal } from '../../kernel/ports/restore-journal.js';
import { STAFF_SIGN_IN } from '../../kernel/ports/staff-sign-in.js';
import { SUBJECT_DATA } from '../../kernel/ports/subject-data.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { RestoreJournalModule } from '../restore-journal/index.js';
import { IssueStaffCode } from './app/issue-staff-code.js';
import { ManageStaff } from './app/manage-staff.js';
import { OutsidePersons } from './app/outside-persons.js';
import { SignInWithCode } from './app/sign-in-with-code.js';
import { StaffChanges } from './app/staff-changes.js';
import { STAFF_HISTORY } from './app/staff-history.js';
import { STAFF_ROSTER, StoredStaffRoster } from './app/staff-roster.js';
import { STAFF_DIRECTORY, type StaffDirectory } from './app/staff-store.js';
import { StaffController } from './http/staff.controller.js';
import { PostgresStaffDirectory } from './infra/postgres-staff-directory.js';
import { PrismaStaffStore } from './infra/prisma-staff-store.js';
import { SqlStaffHistory } from './infra/sql-staff-history.js';
import { StaffSubjectData } from './infra/staff-subject-data.js';

/** Keys of the stored hashes of codes: the current one, then the one before the last rotation. */
type Peppers = readonly [Buffer, ...Buffer[]];
const PEPPERS = Symbol('StaffCodePeppers');

async function derivePeppers(settings: Settings): Promise<Peppers> {
  const { current, previous } = await readSecrets(settings);
  const pepper = deriveKey(current, 'staff-code');
  return previous === null ? [pepper] : [pepper, deriveKey(previous, 'staff-code')];
}

const store = new PrismaStaffStore();

/** Persons who work for an organization, and how they prove who they are. */
@Module({
  imports: [AuditModule, RestoreJournalModule],
  providers: [
    { provide: PEPPERS, inject: [SETTINGS], useFactory: derivePeppers },
    { provide: STAFF_HISTORY, useClass: SqlStaffHistory },
    { provide: STAFF_ROSTER, useFactory: () => new StoredStaffRoster(store) },
    {
      provide: STAFF_DIRECTORY,
      inject: [POOL],
      useFactory: (pool: pg.Pool) => new PostgresStaffDirectory(pool),
    },
    {
      provide: StaffChanges,
      inject: [TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (audit: TransactionalAudit, clock: Clock) => new StaffChanges(audit, clock),
    },
    {
      provide: ManageStaff,
      inject: [UNIT_OF_WORK, StaffChanges, REVOCATION_JOURNAL, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, changes: StaffChanges, journal: RevocationJournal, clock: Clock) =>
        new ManageStaff(unitOfWork, store, changes, journal, clock),
    },
    {
      provide: IssueStaffCode,
      inject: [UNIT_OF_WORK, StaffChanges, PEPPERS, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, changes: StaffChanges, peppers: Peppers, clock: Clock) =>
        new IssueStaffCode(unitOfWork, store, changes, peppers[0], clock),
    },
    {
      provide: STAFF_SIGN_IN,
      // The command line has no limiter and nobody who signs in.
      inject: [UNIT_OF_WORK, STAFF_DIRECTORY, AUDIT_RECORDER, { token: RATE_LIMITER, optional: true }, PEPPERS, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        directory: StaffDirectory,
        recorder: AuditRecorder,
        limiter: RateLimiter | undefined,
        peppers: Peppers,
        clock: Clock,
      ) => new SignInWithCode({ unitOfWork, directory, store, recorder, limiter, peppers, clock }),
    },
    {
      provide: OutsidePersons,
      inject: [UNIT_OF_WORK, StaffChanges, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, changes: StaffChanges, clock: Clock) =>
        new OutsidePersons(unitOfWork, store, changes, clock),
    },
  ],
  exports: [STAFF_HISTORY, STAFF_ROSTER, STAFF_SIGN_IN, ManageStaff, IssueStaffCode, OutsidePersons, STAFF_DIRECTORY],
})
export class StaffModule {}

/** The data of persons that the module keeps. */
@Module({
  providers: [{ provide: SUBJECT_DATA.staff, useFactory: () => new StaffSubjectData() }],
  exports: [SUBJECT_DATA.staff],
})
export class StaffSubjectDataModule {}

/** The admin API of the module. */
@Module({ imports: [StaffModule], controllers: [StaffController] })
export class StaffAdminModule {}
