import type { Static } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { JsonBytes } from '../kernel/json-bytes.js';
import { closed, Identifier, stringEnum } from '../kernel/schema/dap-common.js';
import { Jurisdiction } from '../kernel/schema/dap-pricing.js';
import type { DiscloseUnitPrice } from '../modules/pricing/index.js';
import { PAYMENT_MODES, PricingDisclosure } from '../modules/pricing/index.js';
import type { Operation } from './operation.js';
import { PUBLIC_READ } from './operation.js';

/** DAP disclosureRequest: the gateway's own id only, no VIN and no stock number (DAP §2.10). */
const DisclosureRequest = Type.Object(
  {
    organization_id: Identifier,
    rooftop_id: Identifier,
    vehicle_id: Identifier,
    jurisdiction: Type.Optional(Jurisdiction),
    payment_mode: Type.Optional(stringEnum(PAYMENT_MODES)),
  },
  closed,
);
type DisclosureRequest = Static<typeof DisclosureRequest>;

/** `dealeragent.pricing.get_disclosure`: the price of one published unit in four parts, never a quote (DAP-CORE-037). */
export function getDisclosure(pricing: DiscloseUnitPrice): Operation {
  return {
    name: 'dealeragent.pricing.get_disclosure',
    title: 'Get the price of a vehicle in four parts',
    description:
      'Returns the advertised price of one published vehicle, the charges every buyer pays, adjustments that hold for some buyers only, and what is known of government charges, with completeness, uncertainty, source and freshness. A place and a way of paying leave out adjustments that cannot hold. It is neither a quote nor an out-the-door total, and decides nobody’s eligibility.',
    profile: 'dealeragent.pricing.disclosure/0.1',
    scopes: ['dealeragent:pricing:read'],
    access: 'public',
    dataClass: 'public_inventory',
    retentionCategory: 'audit_event',
    rateClass: 'read',
    safety: {
      ...PUBLIC_READ,
      publicAccess: 'allowed_by_dealer_policy',
      idempotency: 'inherent_for_same_snapshot',
      piiOutput: 'none',
      freshnessAuthority: 'dealer_pricing_authority',
    },
    inputSchema: DisclosureRequest,
    outputSchema: PricingDisclosure,
    targetsOf: (input) => ({
      organizationId: (input as DisclosureRequest).organization_id,
      rooftopIds: [(input as DisclosureRequest).rooftop_id],
    }),
    run: async ({ organizationId, input, now }) => {
      const request = input as DisclosureRequest;
      const { rooftop_id: rooftopId, vehicle_id: vehicleId, jurisdiction, payment_mode: paymentMode } = request;
      const question = {
        organizationId,
        rooftopId,
        vehicleId,
        ...(jurisdiction === undefined ? {} : { jurisdiction }),
        ...(paymentMode === undefined ? {} : { paymentMode }),
      };
      return {
        body: JsonBytes.of(await pricing.run(question, now)),
        rooftopIds: [rooftopId],
        resourceIds: [vehicleId],
        preValidated: false,
      };
    },
  };
}
