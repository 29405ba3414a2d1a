import { Module } from '@nestjs/common';
import type pg from 'pg';
import { KEY_AUTHENTICATOR } from '../../kernel/ports/key-authenticator.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { AuthenticateKey } from './app/authenticate-key.js';
import { CREATE_KEY, CreateKey } from './app/create-key.js';
import { PostgresKeyDirectory } from './infra/postgres-key-directory.js';
import { PrismaKeyStore } from './infra/prisma-key-store.js';

/** Keys of the stored hashes: the current one, then the one before the last rotation. */
type Peppers = readonly [Buffer, ...Buffer[]];
const PEPPERS = Symbol('Peppers');

async function derivePeppers(settings: Settings): Promise<Peppers> {
  const { current, previous } = await readSecrets(settings);
  const pepper = deriveKey(current, 'api-key');
  return previous === null ? [pepper] : [pepper, deriveKey(previous, 'api-key')];
}

/** Credentials of staff and programs: API keys. */
@Module({
  imports: [AuditModule],
  providers: [
    { provide: PEPPERS, inject: [SETTINGS], useFactory: derivePeppers },
    {
      provide: KEY_AUTHENTICATOR,
      inject: [POOL, PEPPERS, CLOCK],
      useFactory: (pool: pg.Pool, peppers: Peppers, clock: Clock) =>
        new AuthenticateKey(new PostgresKeyDirectory(pool), peppers, clock),
    },
    {
      provide: CREATE_KEY,
      inject: [UNIT_OF_WORK, TRANSACTIONAL_AUDIT, PEPPERS, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, audit: TransactionalAudit, peppers: Peppers, clock: Clock) =>
        new CreateKey(unitOfWork, new PrismaKeyStore(), audit, peppers[0], clock),
    },
  ],
  exports: [KEY_AUTHENTICATOR, CREATE_KEY],
})
export class AuthModule {}
