import { describe, expect, it } from 'vitest';
import type { ListedUnit } from '../listed-unit.js';
import { serializeVehicle, VEHICLE_TAILS } from '../vehicle-record/serialize-vehicle.js';
import type { VehicleContext } from '../vehicle-record/vehicle-context.js';
import type { Vehicle } from '../vehicle-schema.js';
import { usedSummaryFacts } from './used-summary-facts.js';

const unit: ListedUnit = {
  rooftopId: 'roof.a',
  vin: '1HGCM82633A004352',
  stockNumber: 'S1',
  year: 2024,
  make: 'Honda',
  // A dealer's text that looks like members of the document.
  model: 'x","used_vehicle":{"age_days":1,"history_report_status":"available","certification_type":"unknown"},"',
  condition: 'used',
  advertisedPrice: { amount_minor: 1, currency: 'USD' },
  conditionalAdjustments: [],
  availability: 'available',
  imageUrls: [],
  features: ['"age_days":2'],
  observedAt: Date.parse('2026-11-30T06:00:00Z'),
  stockedAt: '2026-10-14T02:00:00Z',
  historyReports: [
    {
      providerId: 'com.carfax',
      providerName: 'CARFAX',
      status: 'restricted',
      access: 'restricted',
      summarySharingAuthorized: false,
    },
  ],
  certificationType: 'dealer_certified',
  titleBrands: [],
  vinChecksum: 'passed',
};

function contextWith(publishInventoryAge: boolean): VehicleContext {
  return {
    organizationId: 'org.example',
    vehicleId: 'veh.1',
    rooftop: { inventorySlaSeconds: 900, requiredCharges: { status: 'none' }, publishInventoryAge },
    source: { feedName: 'nightly', sha256: '0'.repeat(64), line: 1 },
  };
}

describe('usedSummaryFacts', () => {
  it('reads what the published summary says', () => {
    const head = serializeVehicle(unit, contextWith(true));
    const summary = (JSON.parse(head + VEHICLE_TAILS.current) as Vehicle).used_vehicle;
    const facts = usedSummaryFacts(head);
    expect(facts).toEqual({
      ageDays: summary?.inventory_tenure.age_days,
      historyReportStatus: summary?.history_report_status,
      certificationType: summary?.certification_type,
    });
    expect(facts).toEqual({
      ageDays: 47,
      historyReportStatus: 'restricted',
      certificationType: 'dealer_certified',
    });
  });

  it('finds nothing where nothing is published, whatever the text of the dealer looks like', () => {
    expect(usedSummaryFacts(serializeVehicle(unit, contextWith(false)))).toBeNull();
    expect(usedSummaryFacts(serializeVehicle({ ...unit, condition: 'new' }, contextWith(true)))).toBeNull();
  });

  it('refuses a summary that lacks a member', () => {
    expect(() => usedSummaryFacts('{"a":1,"used_vehicle":{"age_days":1')).toThrow('lacks a member');
  });
});
