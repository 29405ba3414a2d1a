import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const FOLDER = fileURLToPath(new URL('../../../shared/specs/dap/schemas/', import.meta.url));
const BASE = 'https://dealeragentprotocol.com/spec/v0.1/schemas/';

/** False where the published DAP schemas are not beside the repository; tests that need them are skipped and say so. */
export const HAS_DAP_SCHEMAS = existsSync(FOLDER);

/** The published definition of each tool's answer. */
export const DAP_OUTPUTS = {
  'dealeragent.discovery.get_manifest': 'manifest.schema.json#/$defs/manifest',
  'dealeragent.dealer.get': 'dealer.schema.json#/$defs/dealerOrganization',
  'dealeragent.inventory.search': 'vehicle.schema.json#/$defs/searchResponse',
  'dealeragent.inventory.get_vehicle': 'vehicle.schema.json#/$defs/vehicle',
  'dealeragent.inventory.verify_availability': 'vehicle.schema.json#/$defs/availabilityResult',
  'dealeragent.inventory.get_used_vehicle_details': 'used-vehicle.schema.json#/$defs/usedVehicleDetails',
  'dealeragent.pricing.get_disclosure': 'pricing.schema.json#/$defs/pricingDisclosure',
  error: 'error.schema.json',
} as const;

/** Checks answers against the published DAP schemas, all files known to one validator. */
export class DapSchemas {
  private readonly ajv = new Ajv2020({ allErrors: true, strict: false });

  constructor() {
    addFormats.default(this.ajv);
    for (const file of readdirSync(FOLDER)) {
      this.ajv.addSchema(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as object);
    }
  }

  /** Every violation, as text; empty when the answer is one that DAP describes. */
  violations(of: keyof typeof DAP_OUTPUTS, answer: unknown): readonly string[] {
    const validate = this.ajv.getSchema(`${BASE}${DAP_OUTPUTS[of]}`);
    if (validate === undefined) return [`no published schema ${DAP_OUTPUTS[of]}`];
    void validate(answer);
    return (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message ?? e.keyword}`);
  }
}
