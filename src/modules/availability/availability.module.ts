import { join } from 'node:path';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Inject, Module } from '@nestjs/common';
import { RATE_LIMITER, type RateLimiter } from '../../kernel/ports/rate-limiter.js';
import { CLOCK, type Clock } from '../../kernel/time.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { EgressClient } from '../../platform/egress/egress-client.js';
import { extraAuthorities } from '../../platform/egress/extra-authorities.js';
import { InventoryModule, PUBLISHED_UNIT_READER, type PublishedUnitReader } from '../inventory/index.js';
import { SourceDesk } from './app/source-desk.js';
import { VerifyAvailability } from './app/verify-availability.js';
import { CredentialFolder } from '../../platform/config/credential-folder.js';
import { HttpAvailabilitySource } from './infra/http-availability-source.js';

const EGRESS = Symbol('EgressClient');

/** The current state of units, from the dealers' own systems. */
@Module({
  imports: [InventoryModule],
  providers: [
    {
      provide: EGRESS,
      inject: [SETTINGS],
      useFactory: (settings: Settings) =>
        new EgressClient(settings.EGRESS_ALLOWED_HOSTS, undefined, extraAuthorities(settings.EGRESS_CA_FILE)),
    },
    {
      provide: SourceDesk,
      inject: [EGRESS, RATE_LIMITER, SETTINGS, CLOCK],
      useFactory: (egress: EgressClient, limiter: RateLimiter, settings: Settings, clock: Clock) => {
        const folder = settings.AVAILABILITY_CREDENTIALS_DIR ?? join(settings.DATA_DIR, 'secrets', 'availability');
        const source = new HttpAvailabilitySource(egress, new CredentialFolder(folder));
        return new SourceDesk(source, limiter, settings.AVAILABILITY_CHECKS_PER_MINUTE, clock);
      },
    },
    {
      provide: VerifyAvailability,
      inject: [PUBLISHED_UNIT_READER, SourceDesk, CLOCK],
      useFactory: (units: PublishedUnitReader, desk: SourceDesk, clock: Clock) =>
        new VerifyAvailability(units, desk, clock),
    },
  ],
  exports: [VerifyAvailability],
})
export class AvailabilityModule implements OnApplicationShutdown {
  constructor(@Inject(EGRESS) private readonly egress: EgressClient) {}

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
