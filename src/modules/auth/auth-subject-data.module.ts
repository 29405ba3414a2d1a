import { Module } from '@nestjs/common';
import { SUBJECT_DATA } from '../../kernel/ports/subject-data.js';
import { AuthSubjectData } from './infra/auth-subject-data.js';

/** The data of persons and agents that the module keeps. */
@Module({
  providers: [{ provide: SUBJECT_DATA.auth, useFactory: () => new AuthSubjectData() }],
  exports: [SUBJECT_DATA.auth],
})
export class AuthSubjectDataModule {}
