import { Module } from '@nestjs/common';
import { AGENT_AUTHENTICATOR } from '../../kernel/ports/agent-authenticator.js';
import { APPROVALS, type Approvals } from '../../kernel/ports/approvals.js';
import { KEY_AUTHENTICATOR } from '../../kernel/ports/key-authenticator.js';
import { REVOCATION_JOURNAL, type RevocationJournal } from '../../kernel/ports/restore-journal.js';
import { REVOCATIONS, type Revocations } from '../../kernel/ports/revocations.js';
import { UNIT_OF_WORK, type UnitOfWork } from '../../kernel/ports/unit-of-work.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { ApprovalsModule } from '../approvals/index.js';
import { AuditModule, TRANSACTIONAL_AUDIT, type TransactionalAudit } from '../audit/index.js';
import { RestoreJournalModule } from '../restore-journal/index.js';
import { DEALER_DIRECTORY, type DealerDirectory, TenancyModule } from '../tenancy/index.js';
import { AgentClientsAdminModule } from './agent-clients.module.js';
import { AccessChanges } from './app/access-change.js';
import { AuthenticateAgent } from './app/authenticate-agent.js';
import { AuthenticateCredential } from './app/authenticate-credential.js';
import { AuthenticateKey } from './app/authenticate-key.js';
import { AuthenticateToken } from './app/authenticate-token.js';
import { ChangeKey } from './app/change-key.js';
import { CREATE_KEY, CreateKey } from './app/create-key.js';
import { END_ALL_ACCESS } from './app/end-all-access.js';
import { IssueGrant } from './app/issue-grant.js';
import { IssueKey } from './app/issue-key.js';
import { KeyUsage } from './app/key-usage.js';
import { KnownAccess } from './app/known-access.js';
import { ListAccess } from './app/list-access.js';
import { RecordDelegation } from './app/record-delegation.js';
import { RevokeAccess } from './app/revoke-access.js';
import { VerifiedKeys } from './app/verified-keys.js';
import { GrantsController } from './http/grants.controller.js';
import { GroupDelegationsController } from './http/group-delegations.controller.js';
import { KeysController } from './http/keys.controller.js';
import { PrismaEndAllAccess } from './infra/prisma-end-all-access.js';
import { PrismaGrantStore } from './infra/prisma-grant-store.js';
import { PrismaKeyStore } from './infra/prisma-key-store.js';
import { PrismaKeyUsageStore } from './infra/prisma-key-usage-store.js';
import { WriteKeyUsage } from './jobs/write-key-usage.js';
import { KnownAccessModule } from './known-access.module.js';
import { ResourceServerModule } from './resource-server.module.js';

/** Keys of the stored hashes: the current one, then the one before the last rotation. */
type Peppers = readonly [Buffer, ...Buffer[]];
const PEPPERS = Symbol('Peppers');

async function derivePeppers(settings: Settings): Promise<Peppers> {
  const { current, previous } = await readSecrets(settings);
  const pepper = deriveKey(current, 'api-key');
  return previous === null ? [pepper] : [pepper, deriveKey(previous, 'api-key')];
}

const store = new PrismaGrantStore();
const keyStore = new PrismaKeyStore();

/** Credentials of staff, programs and agents, and what agents may do with theirs. */
@Module({
  imports: [ApprovalsModule, AuditModule, KnownAccessModule, ResourceServerModule, RestoreJournalModule, TenancyModule],
  providers: [
    { provide: PEPPERS, inject: [SETTINGS], useFactory: derivePeppers },
    {
      provide: VerifiedKeys,
      inject: [KnownAccess, PEPPERS, CLOCK, KeyUsage, REVOCATIONS],
      useFactory: (known: KnownAccess, peppers: Peppers, clock: Clock, usage: KeyUsage, revocations: Revocations) =>
        new VerifiedKeys(
          known,
          known.findGrant,
          peppers,
          clock,
          (key) => {
            usage.note(key);
          },
          revocations,
        ),
    },
    {
      provide: KEY_AUTHENTICATOR,
      inject: [VerifiedKeys],
      useFactory: (keys: VerifiedKeys) => new AuthenticateKey(keys),
    },
    {
      provide: AGENT_AUTHENTICATOR,
      inject: [VerifiedKeys, AuthenticateToken, CLOCK],
      useFactory: (keys: VerifiedKeys, tokens: AuthenticateToken, clock: Clock) =>
        new AuthenticateCredential(new AuthenticateAgent(keys, clock), tokens),
    },
    {
      provide: CREATE_KEY,
      inject: [UNIT_OF_WORK, TRANSACTIONAL_AUDIT, PEPPERS, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, audit: TransactionalAudit, peppers: Peppers, clock: Clock) =>
        new CreateKey(unitOfWork, keyStore, audit, peppers[0], clock),
    },
    {
      provide: AccessChanges,
      inject: [TRANSACTIONAL_AUDIT, CLOCK],
      useFactory: (audit: TransactionalAudit, clock: Clock) => new AccessChanges(audit, clock),
    },
    {
      provide: IssueGrant,
      inject: [UNIT_OF_WORK, DEALER_DIRECTORY, CREATE_KEY, AccessChanges, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        directory: DealerDirectory,
        createKey: CreateKey,
        changes: AccessChanges,
        clock: Clock,
      ) => new IssueGrant({ unitOfWork, store, directory, createKey, changes, clock }),
    },
    {
      provide: IssueKey,
      inject: [UNIT_OF_WORK, CREATE_KEY, AccessChanges, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, createKey: CreateKey, changes: AccessChanges, clock: Clock) =>
        new IssueKey({ unitOfWork, keys: keyStore, grants: store, createKey, changes, clock }),
    },
    {
      provide: ChangeKey,
      inject: [UNIT_OF_WORK, AccessChanges, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, changes: AccessChanges, clock: Clock) =>
        new ChangeKey(unitOfWork, keyStore, changes, clock),
    },
    WriteKeyUsage,
    { provide: END_ALL_ACCESS, useClass: PrismaEndAllAccess },
    {
      provide: KeyUsage,
      inject: [UNIT_OF_WORK, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, clock: Clock) => new KeyUsage(new PrismaKeyUsageStore(unitOfWork), clock),
    },
    {
      provide: RecordDelegation,
      inject: [UNIT_OF_WORK, DEALER_DIRECTORY, APPROVALS, AccessChanges, CLOCK],
      useFactory: (
        unitOfWork: UnitOfWork,
        directory: DealerDirectory,
        approvals: Approvals,
        changes: AccessChanges,
        clock: Clock,
      ) => new RecordDelegation({ unitOfWork, store, directory, approvals, changes, clock }),
    },
    {
      provide: RevokeAccess,
      inject: [UNIT_OF_WORK, AccessChanges, REVOCATION_JOURNAL, CLOCK],
      useFactory: (unitOfWork: UnitOfWork, changes: AccessChanges, journal: RevocationJournal, clock: Clock) =>
        new RevokeAccess(unitOfWork, store, keyStore, changes, journal, clock),
    },
    {
      provide: ListAccess,
      inject: [UNIT_OF_WORK],
      useFactory: (unitOfWork: UnitOfWork) => new ListAccess(unitOfWork, store),
    },
  ],
  exports: [
    KEY_AUTHENTICATOR,
    AGENT_AUTHENTICATOR,
    CREATE_KEY,
    END_ALL_ACCESS,
    ChangeKey,
    IssueGrant,
    IssueKey,
    ListAccess,
    RecordDelegation,
    ResourceServerModule,
    RevokeAccess,
  ],
})
export class AuthModule {}

/** The admin API of the module. */
@Module({
  imports: [AgentClientsAdminModule, AuthModule],
  controllers: [GrantsController, GroupDelegationsController, KeysController],
})
export class AuthAdminModule {}
