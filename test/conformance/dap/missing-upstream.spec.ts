import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vinOf } from '../../support/feed-csv.js';
import type { ToolReply } from '../../support/dap-world.js';
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
} from '../../support/dap-world.js';
import { legacy, post, postModern } from '../../support/mcp-http.js';
import { needs, TOOL } from './checks.js';
import { approveByTwo } from '../../support/approve.js';

/** A file is the whole inventory of its rooftop, so each check that brings one has a rooftop of its own. */
const [YEN, GONE, SILENT, WITHHELD] = ['roof.yen', 'roof.gone', 'roof.silent', 'roof.withheld'] as const;
const organization = { organization_id: ORGANIZATION };
const INVENTORY = ['dealeragent:inventory:read'];
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

let world: DapWorld;
beforeAll(async () => {
  world = await DapWorld.open([YEN, GONE, SILENT, WITHHELD]);
});
afterAll(() => world.stop());

const unit = (rooftop: string, vin: string): object => ({ ...organization, rooftop_id: rooftop, vin });
/** What an answer tells once ids and times are taken away. */
const bare = ({ body }: ToolReply): object => ({ ...body, error_id: '', trace_id: '', created_at: '' }) as object;

describe('What the public DAP suite does not check', () => {
  it('a group delegation reaches every rooftop, and its end ends the grants that rest on it', async (context) => {
    await needs(context, world, TOOL.availability);
    const subject = 'agent:group-shopper';
    const recorded = await world.adminCall('POST', 'group-delegations', {
      grantee: subject,
      covers: 'all',
      scopes: INVENTORY,
      expires_at: TOMORROW,
    });
    expect(recorded.status).toBe(202);
    const delegationId = recorded.json.data.delegation_id as string;
    await approveByTwo(world.service.parts, ORGANIZATION, recorded.json.data.approval.approval_id as string);
    expect((await world.adminCall('POST', `group-delegations/${delegationId}/activate`)).status).toBe(200);
    const granted = await world.adminCall('POST', 'grants', {
      subject,
      delegation_id: delegationId,
      profiles: ['dealeragent.inventory.availability/0.1'],
      scopes: INVENTORY,
      purposes: ['vehicle_shopping'],
      expires_at: TOMORROW,
    });
    const { token } = (granted.json.data as { key: { token: string } }).key;
    for (const [rooftop, { vin }] of [
      [DOWNTOWN, UNITS.fresh],
      [NORTH, UNITS.north],
    ] as const) {
      const { body } = await world.call(TOOL.availability, unit(rooftop, vin), token);
      expect(body.code).not.toBe('dealeragent.tenant.forbidden');
    }
    expect((await world.adminCall('POST', `group-delegations/${delegationId}/revoke`)).status).toBe(200);
    await vi.waitUntil(
      async () => (await world.call(TOOL.availability, unit(NORTH, UNITS.north.vin), token)).http.status === 401,
      { timeout: 20_000, interval: 100 },
    );
  });

  it('a wildcard in place of rooftops grants nothing', async (context) => {
    await needs(context, world, TOOL.availability);
    const { status } = await world.adminCall('POST', 'grants', {
      subject: 'agent:greedy',
      rooftop_ids: ['*'],
      profiles: [],
      scopes: INVENTORY,
      purposes: ['vehicle_shopping'],
      expires_at: TOMORROW,
    });
    expect(status).toBe(400);
  });

  it('a cursor of one caller is nothing for another, nor for other rooftops', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN, NORTH], scopes: INVENTORY });
    const cursor = (await world.call(TOOL.search, { ...organization, page: { limit: 1 } })).body.page
      .next_cursor as string;
    for (const [request, credential] of [
      [{ page: { limit: 1, cursor } }, token],
      [{ rooftop_ids: [DOWNTOWN], page: { limit: 1, cursor } }, undefined],
    ] as const) {
      const { body } = await world.call(TOOL.search, { ...organization, ...request }, credential);
      expect(body).toMatchObject({ code: 'dealeragent.validation.invalid', message: expect.stringMatching(/cursor/) });
    }
  });

  it('a search that names a rooftop outside the grant fails whole', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN], scopes: INVENTORY });
    const { body } = await world.call(TOOL.search, { ...organization, rooftop_ids: [DOWNTOWN, NORTH] }, token);
    expect(body.code).toBe('dealeragent.tenant.forbidden');
  });

  it('outside the grant nothing tells an existing unit from an absent one, nor a rooftop from none', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN], scopes: INVENTORY });
    const answers = await Promise.all(
      [unit(NORTH, UNITS.north.vin), unit(NORTH, vinOf(999)), unit('roof.nowhere', vinOf(999))].map((args) =>
        world.call(TOOL.availability, args, token),
      ),
    );
    expect(answers[0]?.body.code).toBe('dealeragent.tenant.forbidden');
    for (const answer of answers) expect(bare(answer)).toEqual(bare(answers[0]!));
  });

  it.each(['Bearer fck_wrong', 'Bearer ', 'Basic dXNlcjpwYXNz'])(
    'a credential that does not count (%s) is 401 with a challenge, everywhere, and never taken for none',
    async (authorization) => {
      for (const answer of [
        await post(world.url, legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {} }), {
          authorization,
        }),
        await postModern(world.url, 'server/discover', {}, { authorization }),
        await postModern(world.url, 'tools/call', { name: TOOL.search, arguments: organization }, { authorization }),
      ]) {
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
        expect(answer.text).not.toContain('fck_wrong');
      }
    },
  );

  it('a protected tool without a credential is 401 with a challenge that names no error', async (context) => {
    await needs(context, world, TOOL.availability);
    const { http } = await world.call(TOOL.availability, unit(DOWNTOWN, UNITS.fresh.vin));
    expect(http.status).toBe(401);
    expect(http.headers.get('www-authenticate')).not.toContain('error=');
  });

  it('a missing scope is 403 with a challenge that names it', async (context) => {
    await needs(context, world, TOOL.availability);
    const token = await world.agent({ rooftops: [DOWNTOWN], scopes: [] });
    const { http } = await world.call(TOOL.availability, unit(DOWNTOWN, UNITS.fresh.vin), token);
    expect(http.status).toBe(403);
    expect(http.headers.get('www-authenticate')).toMatch(/insufficient_scope.*dealeragent:inventory:read/);
  });

  it.each([
    { what: 'is gone', rooftop: GONE, stock: GONE_STOCK, vin: vinOf(410), code: 'dealeragent.vehicle.unavailable' },
    {
      what: 'cannot be asked',
      rooftop: SILENT,
      stock: UNREACHABLE_STOCK,
      vin: vinOf(503),
      code: 'dealeragent.upstream.unavailable',
    },
  ])('a unit that $what at the dealer is said to be so', async ({ rooftop, stock, vin, code }) => {
    const rows = [dapRow({ rooftop_id: rooftop, vin, stock_number: stock })];
    const profile = 'dealer-agent-inventory-csv/0.1';
    await world.importFile({ id: `feed.${stock.toLowerCase()}`, rooftop, profile, content: csv(rows) });
    const token = await world.agent({ rooftops: [rooftop], scopes: INVENTORY });
    const { body } = await world.call(TOOL.availability, unit(rooftop, vin), token);
    expect(body.code).toBe(code);
  });

  it('currencies without minor units are neither multiplied nor divided', async () => {
    const rows = [
      dapRow({
        rooftop_id: YEN,
        vin: vinOf(500),
        stock_number: 'Y1',
        currency: 'JPY',
        advertised_price_minor: '500000',
      }),
    ];
    const profile = 'dealer-agent-inventory-csv/0.1';
    const run = await world.importFile({
      id: 'feed.yen',
      rooftop: YEN,
      profile,
      content: csv(rows),
      settings: { currency: 'JPY' },
    });
    expect(run.state).toBe('published');
    const { body } = await world.call(TOOL.vehicle, unit(YEN, vinOf(500)));
    expect(body.advertised_price.amount).toEqual({ amount_minor: 500_000, currency: 'JPY' });
  });

  it('a unit without a price is withheld, and looks exactly like one that does not exist', async () => {
    const vin = vinOf(777);
    const rows = [
      dapRow({ rooftop_id: WITHHELD, vin, stock_number: 'W1', advertised_price_minor: '' }),
      dapRow({ rooftop_id: WITHHELD, vin: vinOf(778), stock_number: 'W2' }),
    ];
    const profile = 'dealer-agent-inventory-csv/0.1';
    await world.importFile({ id: 'feed.withheld', rooftop: WITHHELD, profile, content: csv(rows) });
    const [withheld, absent] = [
      await world.call(TOOL.vehicle, unit(WITHHELD, vin)),
      await world.call(TOOL.vehicle, unit(WITHHELD, vinOf(779))),
    ];
    expect(withheld.isError).toBe(true);
    expect(bare(withheld)).toEqual(bare(absent));
  });
});
