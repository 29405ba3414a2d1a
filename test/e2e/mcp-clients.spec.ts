import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DapSchemas, HAS_DAP_SCHEMAS } from '../support/dap-schemas.js';
import type { ToolAnswer, ToolClient } from '../support/mcp-clients.js';
import { MCP_CLIENTS } from '../support/mcp-clients.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const MANIFEST = 'dealeragent.discovery.get_manifest';
const DEALER = 'dealeragent.dealer.get';
const SEARCH = 'dealeragent.inventory.search';
const VEHICLE = 'dealeragent.inventory.get_vehicle';
const DISCLOSURE = 'dealeragent.pricing.get_disclosure';
const USED = 'dealeragent.inventory.get_used_vehicle_details';
const TOOLS = [DEALER, MANIFEST, VEHICLE, SEARCH, DISCLOSURE, USED].toSorted();

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe.each(MCP_CLIENTS)('The official $client', (official) => {
  let client: ToolClient;
  let organization: { organization_id: string };
  beforeAll(async () => {
    client = await official.open(`${service.origin}/organizations/${service.organizationId}/mcp`);
    organization = { organization_id: service.organizationId };
  });
  afterAll(() => client.close());

  /** Every page of a search, from the first to the last. */
  async function everyPage(request: Record<string, unknown>, limit: number): Promise<ToolAnswer['structured'][]> {
    const pages: ToolAnswer['structured'][] = [];
    for (let cursor: string | undefined; pages.length < 100;) {
      const page = cursor === undefined ? { limit } : { limit, cursor };
      const { isError, structured } = await client.call(SEARCH, { ...organization, ...request, page });
      expect(isError).toBe(false);
      pages.push(structured);
      cursor = (structured as { page: { next_cursor?: string } }).page.next_cursor;
      if (cursor === undefined) return pages;
    }
    throw new Error('the paging does not end');
  }

  const firstVehicle = async (): Promise<ToolAnswer['structured']> =>
    (await client.call(SEARCH, { ...organization, page: { limit: 1 } })).structured.vehicles[0];

  it('lists every tool by name, with input and output schemas that refer to nothing', async () => {
    const tools = await client.tools();
    expect(tools.map((tool) => tool.name)).toEqual(TOOLS);
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object' });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }
    expect(JSON.stringify(tools)).not.toContain('"$ref"');
    expect(await client.tools()).toEqual(tools);
  });

  it.each([
    {
      what: 'used cars by price',
      request: { filters: { condition: ['used'] }, sort: { field: 'advertised_price', order: 'asc' } },
    },
    { what: 'one rooftop', request: { rooftop_ids: ['roof.westside'], filters: { year_min: 2018 } } },
    { what: 'words and odometers', request: { query: 'honda', sort: { field: 'odometer', order: 'desc' } } },
  ])('pages a search ($what) to its end: nothing twice, nothing missing', async ({ request }) => {
    const pages = await everyPage(request, 7);
    const vehicles = pages.flatMap(
      (page) => page.vehicles as { vehicle_id: string; advertised_price: { amount: { amount_minor: number } } }[],
    );
    const counted = (pages[0].facets.make as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
    expect(vehicles.length).toBeGreaterThan(7);
    expect(vehicles).toHaveLength(counted);
    expect(new Set(vehicles.map((v) => v.vehicle_id)).size).toBe(counted);
    expect(pages.at(-1)?.page).toEqual({ has_more: false });
    expect(await everyPage(request, 100).then((all) => all.flatMap((p) => p.vehicles as object[]))).toEqual(vehicles);
  });

  it('reads one vehicle by id, VIN and stock number alike', async () => {
    const vehicle = await firstVehicle();
    const { vehicle_id, rooftop_id, vin, stock_number } = vehicle as Record<string, string>;
    for (const selector of [{ vehicle_id }, { vin }, { stock_number }]) {
      const answer = await client.call(VEHICLE, { ...organization, rooftop_id, ...selector });
      expect(answer.isError).toBe(false);
      expect(answer.structured).toEqual(vehicle);
      expect(JSON.parse(answer.text)).toEqual(vehicle);
    }
  });

  it('gets the very same manifest from the tool and from the resource', async () => {
    const { structured } = await client.call(MANIFEST, {});
    expect(JSON.parse(await client.read('dealeragent://manifest'))).toEqual(structured);
    const capabilities = structured.capabilities as { profile: string }[];
    expect(capabilities.map((c) => c.profile)).toEqual([
      'dealeragent.discovery/0.1',
      'dealeragent.inventory.read/0.1',
      'dealeragent.pricing.disclosure/0.1',
      'dealeragent.used-vehicle.read/0.1',
    ]);
  });

  it('is told every violation of bad arguments, by pointer and keyword, and never the value', async () => {
    const answer = await client.call(SEARCH, {
      organization_id: 42,
      query: '',
      filters: { condition: ['Sekret-Value'], year_min: 'Sekret-Value', make: ['x', 'x'] },
      page: { limit: 1000, 'Sekret-Value': true },
      favourite: 'Sekret-Value',
    });
    expect(answer.isError).toBe(true);
    expect(answer.structured).toMatchObject({ code: 'dealeragent.validation.invalid', retryable: false });
    expect(JSON.parse(answer.text)).toEqual(answer.structured);
    const violations = answer.structured.details.field_errors as { instance_location: string; keyword: string }[];
    expect(violations.map((v) => `${v.instance_location} ${v.keyword}`).toSorted()).toEqual([
      '/favourite additionalProperties',
      '/filters/condition/0 enum',
      '/filters/make uniqueItems',
      '/filters/year_min type',
      '/organization_id type',
      '/page additionalProperties',
      '/page/limit maximum',
      '/query minLength',
    ]);
    expect(answer.text).not.toContain('Sekret-Value');
  });

  it('is told that two selectors are one too many', async () => {
    const { vehicle_id, vin } = (await firstVehicle()) as Record<string, string>;
    const answer = await client.call(VEHICLE, { ...organization, rooftop_id: 'roof.downtown', vehicle_id, vin });
    expect(answer.structured).toMatchObject({ code: 'dealeragent.validation.invalid' });
  });

  it('gets a protocol error with the DAP object for a tool that does not exist', async () => {
    const failed = await client.call('dealeragent.inventory.sell', {}).then(
      () => undefined,
      (error: unknown) => error as { code: number; data: unknown },
    );
    expect(failed?.code).toBe(-32602);
    expect(failed?.data).toMatchObject({ code: 'dealeragent.capability.unsupported' });
  });

  it.each([
    {
      what: 'an unknown vehicle',
      tool: VEHICLE,
      args: { rooftop_id: 'roof.downtown', vehicle_id: 'veh.nowhere' },
      id: 'veh.nowhere',
    },
    {
      what: 'an unknown VIN',
      tool: VEHICLE,
      args: { rooftop_id: 'roof.downtown', vin: '1HGCM82633A004352' },
      id: '1HGCM82633A004352',
    },
    { what: 'an unknown rooftop', tool: SEARCH, args: { rooftop_ids: ['roof.nowhere'] }, id: 'roof.nowhere' },
    {
      what: 'an unknown rooftop among known ones',
      tool: DEALER,
      args: { rooftop_ids: ['roof.downtown', 'roof.nowhere'] },
      id: 'roof.nowhere',
    },
    { what: 'another organization', tool: DEALER, args: { organization_id: 'org.other' }, id: 'org.other' },
    { what: 'another organization', tool: MANIFEST, args: { organization_id: 'org.other' }, id: 'org.other' },
  ])('gets "not found" without the id for $what ($tool)', async ({ tool, args, id }) => {
    const answer = await client.call(tool, { ...(tool === VEHICLE || tool === SEARCH ? organization : {}), ...args });
    expect(answer.isError).toBe(true);
    expect(answer.structured).toMatchObject({ code: 'dealeragent.resource.not_found', retryable: false });
    expect(answer.text).not.toContain(id);
  });

  it.each([
    { filters: { inventory_age_min_days: 10 } },
    { filters: { inventory_age_max_days: 10 } },
    { filters: { history_report_status: ['available'] } },
    { filters: { certification_type: ['manufacturer_cpo'] } },
    { sort: { field: 'inventory_age_days', order: 'asc' } },
  ])('is told that a rooftop publishes no used-vehicle facts: %j', async (request) => {
    const silent = { ...organization, rooftop_ids: ['roof.westside'] };
    const { structured } = await client.call(SEARCH, { ...silent, ...request });
    expect(structured).toMatchObject({ code: 'dealeragent.capability.unsupported', retryable: false });
  });

  it('may not reuse a cursor under another query, nor change one letter of it', async () => {
    const first = await client.call(SEARCH, { ...organization, query: 'honda', page: { limit: 2 } });
    const cursor = first.structured.page.next_cursor as string;
    const altered = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    for (const request of [
      { query: 'toyota', page: { limit: 2, cursor } },
      { query: 'honda', page: { limit: 3, cursor } },
      { query: 'honda', rooftop_ids: ['roof.downtown'], page: { limit: 2, cursor } },
      { query: 'honda', page: { limit: 2, cursor: altered } },
    ]) {
      const { structured } = await client.call(SEARCH, { ...organization, ...request });
      expect(structured).toMatchObject({
        code: 'dealeragent.validation.invalid',
        message: expect.stringMatching(/cursor/) as string,
      });
    }
  });

  describe.skipIf(!HAS_DAP_SCHEMAS)('checked against the published DAP schemas (skipped where they are absent)', () => {
    const schemas = HAS_DAP_SCHEMAS ? new DapSchemas() : undefined;

    it('answers what DAP describes, with every tool', async () => {
      const { vehicle_id, rooftop_id } = (await firstVehicle()) as Record<string, string>;
      const calls = [
        [MANIFEST, {}],
        [DEALER, {}],
        [DEALER, { rooftop_ids: ['roof.lakeside'] }],
        [SEARCH, { ...organization, page: { limit: 100 } }],
        [SEARCH, { ...organization, query: 'nothing-matches-this' }],
        [VEHICLE, { ...organization, rooftop_id, vehicle_id }],
        [DISCLOSURE, { ...organization, rooftop_id, vehicle_id }],
      ] as const;
      for (const [tool, args] of calls) {
        const answer = await client.call(tool, args);
        expect({ tool, wrong: schemas?.violations(tool, answer.structured) }).toEqual({ tool, wrong: [] });
      }
    });

    it('fails as DAP describes', async () => {
      const calls = [
        [SEARCH, { organization_id: 42, page: 1 }],
        [SEARCH, { ...organization, rooftop_ids: ['roof.westside'], filters: { inventory_age_min_days: 1 } }],
        [VEHICLE, { ...organization, rooftop_id: 'roof.downtown', vin: '1HGCM82633A004352' }],
      ] as const;
      for (const [tool, args] of calls) {
        const answer = await client.call(tool, args);
        expect(schemas?.violations('error', answer.structured)).toEqual([]);
      }
    });
  });
});
