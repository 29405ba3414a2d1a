import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DapCode } from '../../src/surfaces/mcp/failure-map.js';
import { DAP_CODES } from '../../src/surfaces/mcp/failure-map.js';
import { TOOL } from '../conformance/dap/checks.js';
import type { SystemAnswer } from '../support/dealer-system.js';
import { DapSchemas, HAS_DAP_SCHEMAS } from '../support/dap-schemas.js';
import {
  csv,
  dapRow,
  DapWorld,
  DOWNTOWN,
  GONE_STOCK,
  NORTH,
  ORGANIZATION,
  UNITS,
  UNREACHABLE_STOCK,
} from '../support/dap-world.js';
import { vinOf } from '../support/feed-csv.js';
import { MCP_CLIENTS } from '../support/mcp-clients.js';
import type { Going, ToolAnswer, ToolClient } from '../support/mcp-clients.js';
import type { Told } from '../support/told-by.js';
import { toldBy } from '../support/told-by.js';

/** The rooftop of everything that goes wrong: each client has units of its own there. */
const ODD = 'roof.odd';
const KEY_CALLS_PER_MINUTE = 50;
const PRICING = 'dealeragent:pricing:read';
const INVENTORY = 'dealeragent:inventory:read';
const organization = { organization_id: ORGANIZATION };

/** Units that the dealer's system is asked about while they are sold, and what tells it to go on. */
const asked = new Map<string, () => void>();
const whenSold = (stock: string): Promise<SystemAnswer> =>
  new Promise((done) => asked.set(stock, () => done({ status: 'available', observed_at: new Date().toISOString() })));

const schemas = HAS_DAP_SCHEMAS ? new DapSchemas() : undefined;

let world: DapWorld;
let db: pg.Client;

const unit = (rooftop_id: string, selector: object): Record<string, unknown> => ({
  ...organization,
  rooftop_id,
  ...selector,
});
const leaving = (index: number): string => `LEAVING-${index}`;
const broken = (index: number): string => `BROKEN-${index}`;

beforeAll(async () => {
  world = await DapWorld.open([ODD], {
    env: { AGENT_KEY_CALLS_PER_MINUTE: String(KEY_CALLS_PER_MINUTE) },
    timeoutMs: 10_000,
    stateOf: (stock) => (stock.startsWith('LEAVING') ? whenSold(stock) : undefined),
    rules: [
      {
        adjustment_id: 'adjustment.verified-finance',
        name: 'Financed by the house bank',
        direction: 'discount',
        amount_status: 'known',
        amount: { amount_minor: 50_000, currency: 'USD' },
        criteria: [{ criterion: 'payment_mode', operator: 'verified', value: 'finance', evidence_status: 'required' }],
        stacking: { group: 'finance', combinability: 'exclusive' },
      },
    ],
  });
  db = new pg.Client({ connectionString: world.service.database.adminUrl, options: '-c search_path=forecourt' });
  await db.connect();
  const clients = MCP_CLIENTS.map((_, index) => index);
  const odd = [GONE_STOCK, UNREACHABLE_STOCK, 'PRICELESS', ...clients.map(leaving), ...clients.map(broken)];
  const rows = odd.map((stock_number, index) =>
    dapRow({
      rooftop_id: ODD,
      vin: vinOf(700 + index),
      stock_number,
      ...(stock_number === 'PRICELESS' ? { advertised_price_minor: '' } : {}),
    }),
  );
  const profile = 'dealer-agent-inventory-csv/0.1';
  expect(await world.importFile({ id: 'feed.odd', rooftop: ODD, profile, content: csv(rows) })).toMatchObject({
    state: 'published',
  });
  // What was checked when it was stored and is not sound any more: nothing but a hand in the database does that.
  const { rowCount } = await db.query(
    `UPDATE units SET record = record || '{"requiredCharges":[{"label":"","amount_minor":-1,"currency":"USD","included_in_advertised_price":true}]}'
      WHERE record->>'stockNumber' LIKE 'BROKEN-%'`,
  );
  expect(rowCount).toBe(clients.length);
}, 120_000);
afterAll(async () => {
  await db.end();
  await world.stop();
});

describe.each(MCP_CLIENTS.map((official, index) => ({ ...official, index })))(
  'The official $client',
  ({ index, ...official }) => {
    let agent: ToolClient;
    let anonymous: ToolClient;
    let token: string;
    const closing: ToolClient[] = [];
    const refused: string[] = [];
    const told = (call: () => Promise<ToolAnswer>): Promise<Told> => toldBy(call, refused);
    const connect = async (credential?: string, going: Going = {}): Promise<ToolClient> => {
      const client = await official.open(world.url, credential === undefined ? undefined : `Bearer ${credential}`, {
        refused: (body) => refused.push(body),
        ...going,
      });
      closing.push(client);
      return client;
    };
    beforeAll(async () => {
      token = await world.agent({ rooftops: [DOWNTOWN, ODD], scopes: [INVENTORY, PRICING] });
      [agent, anonymous] = await Promise.all([connect(token), connect()]);
    });
    afterAll(() => Promise.all(closing.map((client) => client.close())));

    const idOf = async (rooftop: string, selector: object): Promise<string> =>
      (await anonymous.call(TOOL.vehicle, unit(rooftop, selector))).structured.vehicle_id as string;
    const verify = (client: ToolClient, rooftop: string, selector: object): Promise<Told> =>
      told(() => client.call(TOOL.availability, unit(rooftop, selector)));
    const disclose = async (vehicle_id: string, more: object = {}): Promise<Told> =>
      told(() => agent.call(TOOL.pricing, unit(ODD, { vehicle_id, ...more })));

    async function soldWhileAsked(): Promise<Told> {
      const stock = leaving(index);
      const verified = verify(agent, ODD, { stock_number: stock });
      await vi.waitUntil(() => asked.has(stock), { timeout: 30_000, interval: 20 });
      const vin = vinOf(703 + index);
      const event = { event_id: `sold-${stock}`, rooftop_id: ODD, vin, kind: 'sold', source_time: new Date() };
      const sold = await world.adminCall('POST', 'unit-events', event);
      expect(sold.status, sold.text).toBeLessThan(300);
      const isGone = async (): Promise<boolean> =>
        (await world.call(TOOL.vehicle, unit(ODD, { vin }))).body.code === 'dealeragent.resource.not_found';
      await vi.waitUntil(isGone, { timeout: 8000, interval: 20 });
      asked.get(stock)?.();
      return verified;
    }

    async function tooOften(): Promise<Told> {
      const eager = await world.agent({ rooftops: [DOWNTOWN], scopes: [INVENTORY] });
      const client = await connect(eager);
      const calls = Array.from({ length: KEY_CALLS_PER_MINUTE }, () => world.call(TOOL.manifest, {}, eager));
      await Promise.all(calls);
      return told(() => client.call(TOOL.manifest, {}));
    }

    async function withheldId(): Promise<string> {
      const { json } = await world.adminCall('GET', `inventory/withheld?rooftop_id=${ODD}`);
      const [withheld] = json.data.units as { vehicle_id: string }[];
      return withheld?.vehicle_id ?? '';
    }

    /** One way to each code of the closed registry (DAP error contract §2), through real features. */
    const WAYS = {
      'dealeragent.validation.invalid': () => told(() => anonymous.call(TOOL.search, { organization_id: 42 })),
      'dealeragent.protocol.unsupported_revision': () =>
        told(async () => (await connect(undefined, { outdated: true })).call(TOOL.manifest, {})),
      'dealeragent.capability.unsupported': () => told(() => anonymous.call('dealeragent.handoff.submit', {})),
      'dealeragent.auth.required': () => verify(anonymous, DOWNTOWN, { vin: UNITS.fresh.vin }),
      'dealeragent.auth.invalid': () => told(async () => (await connect('fck_nobody_nothing')).call(TOOL.manifest, {})),
      'dealeragent.scope.insufficient': async () => {
        const narrow = await connect(await world.agent({ rooftops: [DOWNTOWN], scopes: [PRICING] }));
        return verify(narrow, DOWNTOWN, { vin: UNITS.fresh.vin });
      },
      'dealeragent.tenant.forbidden': () => verify(agent, NORTH, { vin: UNITS.north.vin }),
      'dealeragent.resource.not_found': () => verify(agent, DOWNTOWN, { vin: vinOf(999) }),
      'dealeragent.vehicle.unavailable': () => verify(agent, ODD, { stock_number: GONE_STOCK }),
      'dealeragent.vehicle.stale': () => verify(agent, DOWNTOWN, { vin: UNITS.stale.vin }),
      'dealeragent.pricing.incomplete': async () => disclose(await withheldId()),
      'dealeragent.pricing.eligibility_unverified': async () =>
        disclose(await idOf(ODD, { stock_number: GONE_STOCK }), { payment_mode: 'finance' }),
      'dealeragent.state.conflict': soldWhileAsked,
      'dealeragent.rate_limited': tooOften,
      'dealeragent.upstream.unavailable': () => verify(agent, ODD, { stock_number: UNREACHABLE_STOCK }),
      'dealeragent.internal': async () => disclose(await idOf(ODD, { stock_number: broken(index) })),
    } satisfies Record<DapCode, () => Promise<Told>>;

    it.each(Object.entries(WAYS))('is told %s', async (code, way) => {
      const error = await way();
      expect(error).toMatchObject({ code, retryable: DAP_CODES[code as DapCode] });
      expect(Number(error['retry_after_ms'] ?? 0) > 0).toBe(DAP_CODES[code as DapCode]);
      if (schemas !== undefined) expect(schemas.violations('error', error)).toEqual([]);
    });

    it('succeeds with each of the seven tools', async () => {
      const used = unit(DOWNTOWN, { vin: UNITS.stale.vin });
      const fresh = unit(DOWNTOWN, { vin: UNITS.fresh.vin });
      const calls = {
        [TOOL.manifest]: {},
        [TOOL.dealer]: organization,
        [TOOL.search]: organization,
        [TOOL.vehicle]: fresh,
        [TOOL.used]: used,
        [TOOL.availability]: fresh,
        [TOOL.pricing]: unit(DOWNTOWN, { vehicle_id: await idOf(DOWNTOWN, { vin: UNITS.fresh.vin }) }),
      };
      expect((await agent.tools()).map((tool) => tool.name)).toEqual(Object.keys(calls).toSorted());
      for (const [tool, args] of Object.entries(calls)) {
        const { isError, structured, text } = await agent.call(tool, args);
        expect([tool, isError]).toEqual([tool, false]);
        expect(JSON.parse(text)).toEqual(structured);
        if (schemas !== undefined) expect(schemas.violations(tool as keyof typeof calls, structured)).toEqual([]);
      }
    });
  },
);
