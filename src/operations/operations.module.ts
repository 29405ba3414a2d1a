import { Module } from '@nestjs/common';
import type { Grant } from '../kernel/caller.js';
import type { CursorSealer } from '../kernel/cursor/cursor-sealer.js';
import type { AuditRecorder } from '../kernel/ports/audit-recorder.js';
import { AUDIT_RECORDER } from '../kernel/ports/audit-recorder.js';
import { PROBING_WATCH, type ProbingWatch } from '../kernel/ports/probing-watch.js';
import type { RateLimiter } from '../kernel/ports/rate-limiter.js';
import { RATE_LIMITER } from '../kernel/ports/rate-limiter.js';
import type { Clock } from '../kernel/time.js';
import { CLOCK } from '../kernel/time.js';
import { AuditModule } from '../modules/audit/index.js';
import { AvailabilityModule, VerifyAvailability } from '../modules/availability/index.js';
import type { InventoryReader, PublishedUnitReader } from '../modules/inventory/index.js';
import { INVENTORY_READER, InventoryModule, PUBLISHED_UNIT_READER } from '../modules/inventory/index.js';
import type { DealerDirectory, DealerGroup } from '../modules/tenancy/index.js';
import { DiscloseUnitPrice, PricingModule } from '../modules/pricing/index.js';
import { PublishedRetention, RetentionModule } from '../modules/retention/index.js';
import { DEALER_DIRECTORY, TenancyModule } from '../modules/tenancy/index.js';
import { CallLimiter } from './call-limiter.js';
import { OperationCatalog } from './catalog.js';
import { requireClassified } from './classified-output.js';
import { conformanceStatement } from './documents/conformance-statement.js';
import type { GatewayFacts } from './documents/manifest-publisher.js';
import { ManifestPublisher } from './documents/manifest-publisher.js';
import { PublicLinks } from './documents/public-links.js';
import { getDealer } from './get-dealer.js';
import { getDisclosure } from './get-disclosure.js';
import { getManifest } from './get-manifest.js';
import { getUsedVehicleDetails } from './get-used-vehicle-details.js';
import { getPolicy } from './get-policy.js';
import { getVehicle } from './get-vehicle.js';
import type { GatewayIdentity } from './gateway-identity.js';
import { CURSOR_SEALER, GATEWAY_IDENTITY } from './gateway-identity.js';
import { Pipeline } from './pipeline.js';
import { searchInventory } from './search-inventory.js';
import { verifyAvailability } from './verify-availability.js';

/** The operation table with its one way through. A new tool is one file and one line here. */
@Module({
  imports: [AuditModule, AvailabilityModule, InventoryModule, PricingModule, RetentionModule, TenancyModule],
  providers: [
    {
      provide: OperationCatalog,
      inject: [
        DEALER_DIRECTORY,
        INVENTORY_READER,
        PUBLISHED_UNIT_READER,
        CURSOR_SEALER,
        GATEWAY_IDENTITY,
        DiscloseUnitPrice,
        VerifyAvailability,
        PublishedRetention,
      ],
      useFactory: (
        directory: DealerDirectory,
        reader: InventoryReader,
        units: PublishedUnitReader,
        cursors: CursorSealer,
        identity: GatewayIdentity,
        pricing: DiscloseUnitPrice,
        verifying: VerifyAvailability,
        retention: PublishedRetention,
      ): OperationCatalog => {
        const facts = (group: DealerGroup, grant: Grant | undefined): GatewayFacts => ({
          gatewayId: identity.gatewayId,
          operatorName: identity.operatorName,
          profiles: catalog.profilesOf(group, grant),
          authModes: identity.authModes,
        });
        const digest = (group: DealerGroup): string =>
          conformanceStatement(
            group.organizationId,
            catalog.profilesOf(group).map((p) => p.profile),
          ).digest;
        const publisher = new ManifestPublisher(directory, facts, new PublicLinks(identity.publicUrl), digest);
        const catalog: OperationCatalog = new OperationCatalog([
          getManifest(publisher),
          getPolicy(directory, retention, (group) => catalog.profilesOf(group).map((p) => p.profile)),
          getDealer(directory),
          searchInventory({ directory, reader, cursors }),
          getVehicle(reader),
          getUsedVehicleDetails(units),
          getDisclosure(pricing),
          verifyAvailability(verifying),
        ]);
        requireClassified(catalog.all);
        return catalog;
      },
    },
    {
      provide: CallLimiter,
      inject: [RATE_LIMITER, PROBING_WATCH, GATEWAY_IDENTITY],
      useFactory: (limiter: RateLimiter, probing: ProbingWatch, identity: GatewayIdentity) =>
        new CallLimiter(limiter, probing, identity.pipeline),
    },
    {
      provide: Pipeline,
      inject: [OperationCatalog, AUDIT_RECORDER, CallLimiter, CLOCK, GATEWAY_IDENTITY, DEALER_DIRECTORY],
      useFactory: (
        catalog: OperationCatalog,
        recorder: AuditRecorder,
        limiter: CallLimiter,
        clock: Clock,
        identity: GatewayIdentity,
        directory: DealerDirectory,
      ) => new Pipeline(catalog, recorder, limiter, clock, identity.pipeline, directory),
    },
  ],
  exports: [OperationCatalog, Pipeline],
})
export class OperationsModule {}
