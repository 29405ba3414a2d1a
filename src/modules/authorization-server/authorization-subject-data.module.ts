import { Module } from '@nestjs/common';
import type pg from 'pg';
import { SUBJECT_DATA } from '../../kernel/ports/subject-data.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { AuthorizationSubjectData } from './infra/authorization-subject-data.js';
import { PayloadSeal } from './infra/payload-seal.js';

async function open(pool: pg.Pool, settings: Settings): Promise<AuthorizationSubjectData> {
  const { current, previous } = await readSecrets(settings);
  const earlier = previous === null ? [] : [deriveKey(previous, 'authorization-record')];
  return new AuthorizationSubjectData(pool, new PayloadSeal([deriveKey(current, 'authorization-record'), ...earlier]));
}

/** The data of persons and clients that the authorization server keeps, also where it does not run. */
@Module({
  providers: [{ provide: SUBJECT_DATA.authorizationServer, inject: [POOL, SETTINGS], useFactory: open }],
  exports: [SUBJECT_DATA.authorizationServer],
})
export class AuthorizationServerSubjectDataModule {}
