import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { letAgentIn } from '../support/agents.js';
import { callTool, modern, modernHeaders } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const CLIENTS = 50;
const CALLS_EACH = 200;
const ONE_ID = 7;
const VEHICLE = 'dealeragent.inventory.get_vehicle';
const SEARCH = 'dealeragent.inventory.search';

interface Unit {
  readonly vehicle_id: string;
  readonly rooftop_id: string;
  readonly vin: string;
}

let service: TestService;
let pool: Pool;
let units: Unit[];
let bearer: string;
beforeAll(async () => {
  const many = '10000000';
  service = await startTestService({
    env: {
      VALIDATE_ANSWERS_EVERY: '1000',
      ANONYMOUS_CALLS_PER_MINUTE: many,
      AGENT_CALLS_PER_MINUTE: many,
      AGENT_KEY_CALLS_PER_MINUTE: many,
    },
  });
  pool = new Pool(service.origin, { connections: CLIENTS, pipelining: 1 });
  const { json } = await callTool(`${service.origin}/mcp`, SEARCH, {
    organization_id: service.organizationId,
    page: { limit: 100 },
  });
  units = json.result.structuredContent.vehicles as Unit[];
  ({ bearer } = await letAgentIn(service));
});
afterAll(async () => {
  await pool.close();
  await service.stop();
});

interface Wire {
  readonly id: unknown;
  readonly result: { readonly isError: boolean; readonly structuredContent: Unit & { readonly code?: string } };
}

async function ask(unit: Unit, authorization?: string): Promise<Wire> {
  const { rooftop_id, vehicle_id } = unit;
  const { body } = await pool.request({
    path: '/mcp',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...modernHeaders('tools/call', VEHICLE),
      ...(authorization === undefined ? {} : { authorization }),
    },
    body: JSON.stringify(
      modern(
        'tools/call',
        { name: VEHICLE, arguments: { organization_id: service.organizationId, rooftop_id, vehicle_id } },
        ONE_ID,
      ),
    ),
  });
  return (await body.json()) as Wire;
}

describe('Fifty clients that all number their requests alike', () => {
  it('each get the answers to their own questions, in ten thousand calls', async () => {
    expect(units.length).toBeGreaterThan(10);
    const crossed: unknown[] = [];
    let answered = 0;
    let refused = 0;
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let call = 0; call < CALLS_EACH; call++) {
          const unit = units[(client * 31 + call * 17) % units.length] as Unit;
          const isAgent = client % 5 === 0;
          const { id, result } = await ask(unit, isAgent ? bearer : undefined);
          // The agent may see one rooftop alone: an answer of somebody else’s shows in what it may not.
          if (isAgent && unit.rooftop_id !== 'roof.downtown') {
            refused++;
            if (result.structuredContent.code !== 'dealeragent.tenant.forbidden') crossed.push([unit, result]);
          } else {
            answered++;
            const { vehicle_id, vin } = result.structuredContent;
            if (id !== ONE_ID || vehicle_id !== unit.vehicle_id || vin !== unit.vin) crossed.push([unit, result]);
          }
        }
      }),
    );
    expect(crossed).toEqual([]);
    expect(answered + refused).toBe(CLIENTS * CALLS_EACH);
    expect(answered).toBeGreaterThan(refused);
  }, 180_000);
});
