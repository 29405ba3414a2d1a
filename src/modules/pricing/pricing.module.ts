import { Module } from '@nestjs/common';
import type { PublishedUnitReader } from '../inventory/index.js';
import { InventoryModule, PUBLISHED_UNIT_READER, WithheldReport } from '../inventory/index.js';
import { DiscloseUnitPrice } from './app/disclose-unit-price.js';

/** Prices in four parts. It keeps nothing of its own: records and settings are read where they live. */
@Module({
  imports: [InventoryModule],
  providers: [
    {
      provide: DiscloseUnitPrice,
      inject: [PUBLISHED_UNIT_READER, WithheldReport],
      useFactory: (units: PublishedUnitReader, withheld: WithheldReport) => new DiscloseUnitPrice(units, withheld),
    },
  ],
  exports: [DiscloseUnitPrice],
})
export class PricingModule {}
