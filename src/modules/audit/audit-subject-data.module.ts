import { Module } from '@nestjs/common';
import { SUBJECT_DATA } from '../../kernel/ports/subject-data.js';
import { AuditSubjectData } from './infra/audit-subject-data.js';

/** The data of persons beside the trail: who gets statements, and exports. */
@Module({
  providers: [{ provide: SUBJECT_DATA.audit, useFactory: () => new AuditSubjectData() }],
  exports: [SUBJECT_DATA.audit],
})
export class AuditSubjectDataModule {}
