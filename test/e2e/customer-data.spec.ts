import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditTrail } from '../support/audit-trail.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const SEARCH = 'dealeragent.inventory.search';
const VEHICLE = 'dealeragent.inventory.get_vehicle';

let service: TestService;
let url: string;
let trail: AuditTrail;
beforeAll(async () => {
  service = await startTestService();
  url = `${service.origin}/mcp`;
  trail = await AuditTrail.open(service.database);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

describe('Customer data in the arguments of a tool', () => {
  it.each([
    { where: '/query', tool: SEARCH, value: 'honda, call 305-555-0199', args: (v: string) => ({ query: v }) },
    { where: '/query', tool: SEARCH, value: 'jane.doe@mail.example', args: (v: string) => ({ query: v }) },
    {
      where: '/filters/make/1',
      tool: SEARCH,
      value: '123-45-6789',
      args: (v: string) => ({ filters: { make: ['honda', v] } }),
    },
    {
      where: '/filters/stock_number',
      tool: SEARCH,
      value: '4111 1111 1111 1111',
      args: (v: string) => ({ filters: { stock_number: v } }),
    },
    {
      where: '/stock_number',
      tool: VEHICLE,
      value: '+1 305 555 0199',
      args: (v: string) => ({ rooftop_id: 'roof.downtown', stock_number: v }),
    },
  ])('at $where is refused by place and kind, and kept nowhere ($value)', async ({ where, tool, value, args }) => {
    const answer = await callTool(url, tool, { organization_id: service.organizationId, ...args(value) });
    const { isError, structuredContent } = answer.json.result;
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({
      code: 'dealeragent.validation.invalid',
      retryable: false,
      details: { field_errors: [{ instance_location: where, keyword: 'customer_data' }] },
    });
    expect(answer.text).not.toContain(value);
    const records = await trail.ofEvent(answer.headers.get('x-request-id'));
    expect(records).toMatchObject([{ operation: tool, outcome: 'failed', failure_code: 'input.customer_data' }]);
    expect(JSON.stringify(records)).not.toContain(value);
  });

  it('is not seen in anything that the gateway itself published', async () => {
    const found = await callTool(url, SEARCH, { organization_id: service.organizationId, page: { limit: 100 } });
    const { vehicles, page } = found.json.result.structuredContent as {
      vehicles: {
        vehicle_id: string;
        rooftop_id: string;
        vin: string;
        stock_number: string;
        make: string;
        model: string;
      }[];
      page: { next_cursor: string };
    };
    for (const { vehicle_id, rooftop_id, vin, stock_number, make, model } of vehicles.slice(0, 25)) {
      for (const selector of [{ vehicle_id }, { vin }, { stock_number }]) {
        const args = { organization_id: service.organizationId, rooftop_id, ...selector };
        expect((await callTool(url, VEHICLE, args)).json.result.isError).toBe(false);
      }
      const query = `${make} ${model} ${stock_number} ${vin}`;
      expect(
        (await callTool(url, SEARCH, { organization_id: service.organizationId, query })).json.result.isError,
      ).toBe(false);
    }
    const next = { organization_id: service.organizationId, page: { limit: 100, cursor: page.next_cursor } };
    expect((await callTool(url, SEARCH, next)).json.result.isError).toBe(false);
  });
});
