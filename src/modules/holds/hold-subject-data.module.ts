import { Module } from '@nestjs/common';
import { SUBJECT_DATA } from '../../kernel/ports/subject-data.js';
import { HoldSubjectData } from './infra/hold-subject-data.js';

/** The data of persons beside the holds themselves: where their notices are sent. */
@Module({
  providers: [{ provide: SUBJECT_DATA.holds, useFactory: () => new HoldSubjectData() }],
  exports: [SUBJECT_DATA.holds],
})
export class HoldSubjectDataModule {}
