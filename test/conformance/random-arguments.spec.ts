import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arbitraryArguments, MARK } from '../support/arbitrary-arguments.js';
import { DapWorld, DOWNTOWN, NORTH, ORGANIZATION, UNITS } from '../support/dap-world.js';
import { postModern } from '../support/mcp-http.js';
import { TOOL } from './dap/checks.js';

/** Codes that any tool may answer arguments with. `internal` and whatever is not listed here is a bug. */
const COMMON = ['validation.invalid', 'resource.not_found', 'tenant.forbidden'] as const;

/** Codes of single tools beside them (DAP §2). */
const OWN: Readonly<Record<string, readonly string[]>> = {
  [TOOL.manifest]: [],
  [TOOL.dealer]: [],
  [TOOL.search]: ['capability.unsupported'],
  [TOOL.vehicle]: [],
  [TOOL.used]: [],
  [TOOL.availability]: [
    'vehicle.stale',
    'vehicle.unavailable',
    'upstream.unavailable',
    'rate_limited',
    'state.conflict',
    'scope.insufficient',
  ],
  [TOOL.pricing]: ['pricing.incomplete', 'pricing.eligibility_unverified'],
};

const RUNS = { numRuns: 80, seed: 20_261_130 };

let world: DapWorld;
let token: string;
let known: Readonly<Record<string, readonly unknown[]>>;
/** Of three units one is used; without its names alone hardly any arguments would find it. */
let used: typeof known;
beforeAll(async () => {
  world = await DapWorld.open();
  token = await world.agent({
    rooftops: [DOWNTOWN, NORTH],
    scopes: ['dealeragent:inventory:read', 'dealeragent:pricing:read'],
  });
  const found = await world.call(TOOL.search, { organization_id: ORGANIZATION });
  const vehicles = found.body.vehicles as { vehicle_id: string; vin: string }[];
  const ids = vehicles.map((vehicle) => vehicle.vehicle_id);
  used = {
    organization_id: [ORGANIZATION],
    rooftop_id: [DOWNTOWN],
    vehicle_id: vehicles.filter(({ vin }) => vin === UNITS.stale.vin).map((vehicle) => vehicle.vehicle_id),
    vin: [UNITS.stale.vin],
    stock_number: [UNITS.stale.stock],
  };
  known = {
    organization_id: [ORGANIZATION],
    rooftop_id: [DOWNTOWN, NORTH],
    vehicle_id: ids,
    vin: Object.values(UNITS).map(({ vin }) => vin),
    stock_number: Object.values(UNITS).map(({ stock }) => stock),
  };
});
afterAll(() => world.stop());

const schemaOf = async (tool: string): Promise<object> => {
  const { json } = await postModern(world.url, 'tools/list');
  const listed = (json.result.tools as { name: string; inputSchema: object }[]).find(({ name }) => name === tool);
  if (listed === undefined) throw new Error(`${tool} is not in the list`);
  return listed.inputSchema;
};

describe('Random arguments', () => {
  it('reach every tool of the list', async () => {
    expect(Object.keys(OWN).toSorted()).toEqual([...(await world.tools())].toSorted());
  });

  it.each(Object.keys(OWN))(
    'to %s are answered with a documented code and without any of their values',
    async (tool) => {
      const codes = [...COMMON, ...(OWN[tool] ?? [])].map((code) => `dealeragent.${code}`);
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(arbitraryArguments(await schemaOf(tool), tool === TOOL.used ? used : known), async (args) => {
          const { http, isError, body } = await world.call(tool, args as object, token);
          expect(http.status).toBe(200);
          expect(http.text).not.toContain(MARK);
          if (isError) expect(codes).toContain(body.code);
          else answered++;
        }),
        RUNS,
      );
      expect(answered).toBeGreaterThan(0); // arguments that are all refused would prove nothing
    },
  );
});
