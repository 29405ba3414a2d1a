import {
  type BeforeApplicationShutdown,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type pg from 'pg';
import { AUDIT_RECORDER, type AuditRecorder } from '../../kernel/ports/audit-recorder.js';
import { EMBEDDED_ISSUER, type EmbeddedIssuer } from '../../kernel/ports/embedded-issuer.js';
import { PROTECTED_RESOURCES, type ProtectedResources } from '../../kernel/ports/protected-resources.js';
import { RATE_LIMITER, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { STAFF_SIGN_IN, type StaffSignIn } from '../../kernel/ports/staff-sign-in.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { deriveKey, readSecrets, type SecretPurpose } from '../../platform/config/secrets.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { POOL } from '../../platform/database/database.module.js';
import { EgressClient } from '../../platform/egress/egress-client.js';
import { extraAuthorities } from '../../platform/egress/extra-authorities.js';
import { Ticker } from '../../platform/ticker.js';
import { AuditModule } from '../audit/index.js';
import { AuthModule } from '../auth/index.js';
import { StaffModule } from '../staff/index.js';
import { DEALER_DIRECTORY, type DealerDirectory, TenancyModule } from '../tenancy/index.js';
import { Allowances } from './app/allowances.js';
import { AuthorizationAudit } from './app/authorization-audit.js';
import { AUTHORIZATION_ENGINE, type AuthorizationEngine } from './app/authorization-engine.js';
import { AuthorizePerson } from './app/authorize-person.js';
import { RECORD_STORE, type RecordStore } from './app/record-store.js';
import { SignedInPeople } from './app/signed-in-people.js';
import { AUTHORIZATION_KEYS } from './embedded-issuer.module.js';
import { AuthorizationServerController } from './http/authorization-server.controller.js';
import { InteractionsController } from './http/interactions.controller.js';
import { egressFetch } from './infra/egress-fetch.js';
import { PayloadSeal } from './infra/payload-seal.js';
import { PostgresRecordStore } from './infra/postgres-record-store.js';
import type { AuthorizationKeys } from './infra/signing-keys.js';

const EGRESS = Symbol('EgressClient');
const SWEEP_EVERY_MS = 60_000;
const SWEEP_MOST = 5000;

/** One key for each secret: the current one, then the one before the last rotation. */
async function deriveKeys(settings: Settings, purpose: SecretPurpose): Promise<[Buffer, ...Buffer[]]> {
  const { current, previous } = await readSecrets(settings);
  return [deriveKey(current, purpose), ...(previous === null ? [] : [deriveKey(previous, purpose)])];
}

/** The embedded authorization server (decision record 0032). Every process that has it can go on with what another one began. */
@Module({
  imports: [AuditModule, AuthModule, StaffModule, TenancyModule],
  controllers: [AuthorizationServerController, InteractionsController],
  providers: [
    {
      provide: RECORD_STORE,
      inject: [POOL, SETTINGS],
      useFactory: async (pool: pg.Pool, settings: Settings) =>
        new PostgresRecordStore(pool, new PayloadSeal(await deriveKeys(settings, 'authorization-record'))),
    },
    {
      provide: SignedInPeople,
      inject: [RECORD_STORE],
      useFactory: (records: RecordStore) => new SignedInPeople(records),
    },
    {
      provide: Allowances,
      inject: [RATE_LIMITER, RECORD_STORE, SETTINGS],
      useFactory: (limiter: RateLimiter, records: RecordStore, settings: Settings) =>
        new Allowances(limiter, records, {
          callsPerMinute: settings.AUTHORIZATION_CALLS_PER_MINUTE,
          registrationsPerMinute: settings.CLIENT_REGISTRATIONS_PER_MINUTE,
        }),
    },
    {
      provide: AuthorizationAudit,
      inject: [AUDIT_RECORDER, CLOCK],
      useFactory: (recorder: AuditRecorder, clock: Clock) => new AuthorizationAudit(recorder, clock),
    },
    {
      provide: EGRESS,
      inject: [SETTINGS],
      useFactory: (settings: Settings) =>
        new EgressClient(settings.EGRESS_ALLOWED_HOSTS, undefined, extraAuthorities(settings.EGRESS_CA_FILE)),
    },
    {
      provide: AUTHORIZATION_ENGINE,
      inject: [
        SETTINGS,
        EMBEDDED_ISSUER,
        AUTHORIZATION_KEYS,
        RECORD_STORE,
        SignedInPeople,
        Allowances,
        PROTECTED_RESOURCES,
        AuthorizationAudit,
        EGRESS,
      ],
      useFactory: async (
        settings: Settings,
        { issuer }: EmbeddedIssuer,
        keys: AuthorizationKeys,
        records: RecordStore,
        people: SignedInPeople,
        allowances: Allowances,
        resources: ProtectedResources,
        audit: AuthorizationAudit,
        egress: EgressClient,
      ) => {
        const { makeEngine } = await import('./infra/make-engine.js');
        const cookieKeys = await deriveKeys(settings, 'authorization-cookie');
        const fetch = egressFetch(egress);
        return makeEngine({ issuer, cookieKeys, keys, records, people, allowances, resources, fetch }, audit);
      },
    },
    {
      provide: AuthorizePerson,
      inject: [
        AUTHORIZATION_ENGINE,
        PROTECTED_RESOURCES,
        DEALER_DIRECTORY,
        STAFF_SIGN_IN,
        SignedInPeople,
        AuthorizationAudit,
      ],
      useFactory: (
        engine: AuthorizationEngine,
        resources: ProtectedResources,
        directory: DealerDirectory,
        staff: StaffSignIn,
        people: SignedInPeople,
        audit: AuthorizationAudit,
      ) => new AuthorizePerson({ engine, resources, directory, staff, people, audit }),
    },
  ],
})
export class AuthorizationServerModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly sweeping: Ticker;

  constructor(
    @Inject(RECORD_STORE) records: RecordStore,
    @Inject(EGRESS) private readonly egress: EgressClient,
  ) {
    const log = new Logger('AuthorizationServer');
    this.sweeping = new Ticker('sweep expired sign-ins', SWEEP_EVERY_MS, () => records.sweep(SWEEP_MOST), log);
  }

  onApplicationBootstrap(): void {
    this.sweeping.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sweeping.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
