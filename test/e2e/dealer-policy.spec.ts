import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DealerPolicyDocument } from '../../src/modules/tenancy/index.js';
import { letAgentIn, type LetIn } from '../support/agents.js';
import { AuditTrail, type AuditRow } from '../support/audit-trail.js';
import { publishPolicy } from '../support/dealer-policy.js';
import { callTool, legacy, MODERN, post, postModern, type WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, type Persons } from '../support/staff.js';
import { withRoom } from '../support/with-room.js';

const SEARCH = 'dealeragent.inventory.search';
const VEHICLE = 'dealeragent.inventory.get_vehicle';
const PRICE = 'dealeragent.pricing.get_disclosure';
const DEALER = 'dealeragent.dealer.get';
const MANIFEST = 'dealeragent.discovery.get_manifest';
const DETAILS = 'dealeragent.inventory.get_used_vehicle_details';
const DOWNTOWN = 'roof.downtown';
const LAKESIDE = 'roof.lakeside';
const INVENTORY = 'dealeragent.inventory.read/0.1';
const soon = { timeout: 20_000, interval: 50 };

let service: TestService;
let trail: AuditTrail;
let persons: Persons;
let url: string;
let agent: LetIn;
let unit: { vehicle_id: string; stock_number: string };

const orgOf = (args: object): object => ({ organization_id: service.organizationId, ...args });
const call = (name: string, args: object, bearer?: string): Promise<WireAnswer> =>
  callTool(url, name, orgOf(args), bearer === undefined ? {} : { authorization: bearer });
interface Listed {
  readonly name: string;
  readonly _meta: Readonly<Record<string, { public_access: string }>>;
}
const tools = async (bearer?: string): Promise<readonly Listed[]> =>
  (await postModern(url, 'tools/list', {}, bearer === undefined ? {} : { authorization: bearer })).json.result
    .tools as readonly Listed[];
const namesFor = async (bearer?: string): Promise<string[]> => (await tools(bearer)).map(({ name }) => name);
const recordOf = async (answer: WireAnswer): Promise<AuditRow | undefined> =>
  (await trail.ofEvent(answer.headers.get('x-request-id')))[0];
/** In force in this process, too, and all that is served follows it. */
const publish = async (changes: Partial<DealerPolicyDocument>): Promise<string> => {
  const version = `policy.${await publishPolicy(service, persons, changes)}`;
  const inForce = async (): Promise<unknown> => (await recordOf(await call(DEALER, {})))?.policy_version;
  await expect.poll(inForce, soon).toBe(version);
  return version;
};

beforeAll(async () => {
  service = await startTestService();
  url = `${service.origin}/organizations/${service.organizationId}/mcp`;
  trail = await AuditTrail.open(service.database);
  persons = await addPersons(service, service.organizationId);
  agent = await letAgentIn(service);
  const page = await call(SEARCH, { rooftop_ids: [DOWNTOWN], filters: { condition: ['used'] }, page: { limit: 1 } });
  unit = page.json.result.structuredContent.vehicles[0];
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

describe('A profile that the policy closes', () => {
  it('is challenged without a credential, answered under a grant, and its list says so', async () => {
    const args = { rooftop_id: DOWNTOWN, vehicle_id: unit.vehicle_id };
    expect((await call(PRICE, args)).status).toBe(200);
    const version = await publish({ public_profiles: [INVENTORY] });
    const refused = await call(PRICE, args);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(refused.json.error.data.code).toBe('dealeragent.auth.required');
    expect(await recordOf(refused)).toMatchObject({
      reason: 'profile_not_public',
      policy_version: version,
      decision: 'deny',
    });
    const granted = await call(PRICE, args, agent.bearer);
    expect(granted.json.result.isError).toBe(false);
    expect((await recordOf(granted))?.policy_version).toBe(`${version}+${agent.grantId}@1`);
    const access = Object.fromEntries(
      (await tools()).map((tool) => [tool.name, tool._meta['com.dealeragentprotocol/safety']?.public_access]),
    );
    expect(access).toMatchObject({
      [PRICE]: 'authenticated',
      [SEARCH]: 'allowed_by_dealer_policy',
      [MANIFEST]: 'allowed',
    });
  });

  it('at one rooftop leaves the others, and is never answered in part', async () => {
    await publish({ rooftops: { [LAKESIDE]: { public_profiles: [] } } });
    const all = await call(SEARCH, { page: { limit: 100 } });
    const rooftops = (all.json.result.structuredContent.vehicles as { rooftop_id: string }[]).map((v) => v.rooftop_id);
    expect(new Set(rooftops)).not.toContain(LAKESIDE);
    expect(rooftops.length).toBeGreaterThan(0);
    expect((await call(SEARCH, { rooftop_ids: [DOWNTOWN, LAKESIDE] })).status).toBe(401);
    expect((await call(SEARCH, { rooftop_ids: [DOWNTOWN] })).json.result.isError).toBe(false);
    const unknown = await call(SEARCH, { rooftop_ids: ['roof.nowhere'] });
    expect(unknown.json.result.structuredContent.code).toBe('dealeragent.resource.not_found');
  });
});

describe('A field that the policy withholds', () => {
  it('leaves every answer and the file, and nothing is found by it, within two seconds', async () => {
    const of = { rooftop_id: DOWNTOWN, vehicle_id: unit.vehicle_id };
    const vehicle = async (): Promise<Record<string, unknown>> =>
      (await call(VEHICLE, of)).json.result.structuredContent as Record<string, unknown>;
    const csv = async (): Promise<string> =>
      (await fetch(`${service.origin}/organizations/${service.organizationId}/inventory.csv`)).text();
    await publish({});
    await expect.poll(async () => Object.keys(await vehicle()), soon).toContain('odometer');
    expect(await csv()).toContain(unit.stock_number);
    const used = await call(DETAILS, of);
    expect(used.json.result.isError).toBe(false);

    await publish({ withheld_fields: ['odometer', 'stock_number', 'media', 'inventory_age'] });
    const publishedAt = Date.now();
    await expect.poll(async () => Object.keys(await vehicle()), soon).not.toContain('odometer');
    expect(Date.now() - publishedAt).toBeLessThan(withRoom(2000));
    const shown = await vehicle();
    for (const member of ['stock_number', 'media', 'used_vehicle']) expect(Object.keys(shown)).not.toContain(member);
    expect(await csv()).not.toContain(unit.stock_number);
    for (const request of [
      { filters: { odometer_min: { value: 0, unit: 'mi' } } },
      { sort: { field: 'odometer', order: 'asc' } },
      { filters: { stock_number: unit.stock_number } },
      { filters: { inventory_age_min_days: 0 } },
      { sort: { field: 'inventory_age_days', order: 'asc' } },
      { filters: { history_report_status: ['available'] } },
    ])
      expect((await call(SEARCH, request)).json.result.structuredContent.code).toBe(
        'dealeragent.capability.unsupported',
      );
    const byWord = await call(SEARCH, { query: unit.stock_number });
    expect(byWord.json.result.structuredContent.vehicles).toEqual([]);
    expect(byWord.json.result.structuredContent.facets.history_report_status).toEqual([]);
    const byNumber = await call(VEHICLE, { rooftop_id: DOWNTOWN, stock_number: unit.stock_number });
    expect(byNumber.json.result.structuredContent.code).toBe('dealeragent.resource.not_found');
    expect(await namesFor()).not.toContain(DETAILS);
    expect((await call(DETAILS, of)).json.error.data.code).toBe('dealeragent.capability.unsupported');
  });

  it('comes back when an older policy is published again, and nothing became fresher', async () => {
    type Shown = { odometer?: object; freshness: { observed_at: string; max_age_seconds: number } };
    const at = async (): Promise<Shown> =>
      (await call(VEHICLE, { rooftop_id: DOWNTOWN, vehicle_id: unit.vehicle_id })).json.result
        .structuredContent as Shown;
    await publish({ withheld_fields: ['odometer'], freshness_ceiling_seconds: { inventory: 60 } });
    await expect.poll(async () => (await at()).freshness.max_age_seconds, soon).toBe(60);
    const before = await at();
    expect(before.odometer).toBeUndefined();
    await publish({});
    await expect.poll(async () => (await at()).freshness.max_age_seconds, soon).toBeGreaterThan(60);
    expect((await at()).odometer).toBeDefined();
    expect((await at()).freshness.observed_at).toBe(before.freshness.observed_at);
  });
});

describe('What a caller is shown', () => {
  it('under a grant is what its calls are not refused for, privately; without one it is everything', async () => {
    const narrow = await letAgentIn(service, { profiles: [INVENTORY], scopes: ['dealeragent:inventory:read'] });
    const open = await namesFor();
    const mine = await namesFor(narrow.bearer);
    expect(mine).toEqual([DEALER, MANIFEST, VEHICLE, SEARCH].toSorted());
    const args = { rooftop_id: DOWNTOWN, vehicle_id: unit.vehicle_id };
    for (const name of open) {
      const input = name === DEALER || name === MANIFEST ? {} : name === SEARCH ? { rooftop_ids: [DOWNTOWN] } : args;
      const { status } = await call(name, input, narrow.bearer);
      expect({ name, status }).toEqual({ name, status: mine.includes(name) ? 200 : 403 });
    }
    const list = await postModern(url, 'tools/list', {}, { authorization: narrow.bearer });
    expect(list.json.result).toMatchObject({ cacheScope: 'private' });
    expect((await postModern(url, 'tools/list')).json.result).toMatchObject({ cacheScope: 'public' });
  });

  it('of the manifest is one instance for each audience, the same from tool and resource', async () => {
    const read = async (bearer?: string): Promise<{ tool: WireAnswer; resource: WireAnswer }> => ({
      tool: await call(MANIFEST, {}, bearer),
      resource: await postModern(
        url,
        'resources/read',
        { uri: 'dealeragent://manifest' },
        bearer === undefined ? {} : { authorization: bearer },
      ),
    });
    const [everyone, mine] = [await read(), await read(agent.bearer)];
    for (const { tool, resource } of [everyone, mine])
      expect(JSON.parse(resource.json.result.contents[0].text as string)).toEqual(tool.json.result.structuredContent);
    expect(everyone.resource.json.result.cacheScope).toBe('public');
    expect(mine.resource.json.result.cacheScope).toBe('private');
    expect(mine.resource.json.result.ttlMs).toBeLessThanOrEqual(60_000);
    expect(mine.tool.json.result.structuredContent.rooftop_ids).toEqual([DOWNTOWN]);
    expect(everyone.tool.json.result.structuredContent.rooftop_ids.length).toBeGreaterThan(1);
    expect((await recordOf(mine.tool))?.rooftop_ids).toEqual([DOWNTOWN]);
  });

  it('has names without dots where its grant says so, and calls take both forms', async () => {
    const plain = await letAgentIn(service, { tool_names: 'underscore' });
    const names = await namesFor(plain.bearer);
    expect(names).toContain('dealeragent_inventory_search');
    expect(names.join()).not.toContain('.');
    for (const name of [SEARCH, 'dealeragent_inventory_search'])
      expect((await call(name, { rooftop_ids: [DOWNTOWN] }, plain.bearer)).json.result.isError).toBe(false);
    const discovered = await postModern(url, 'server/discover', {}, { authorization: plain.bearer });
    expect(discovered.json.result).toMatchObject({ cacheScope: 'private' });
    expect(discovered.json.result.instructions).toContain('dealeragent_inventory_search');
    const older = await post(url, legacy('tools/list'), { authorization: plain.bearer });
    expect((older.json.result.tools as { name: string }[]).map(({ name }) => name)).toEqual(names);
    expect(await namesFor(agent.bearer)).toContain(SEARCH);
  });

  it('is told to the subscribers when a policy changes it, also to those with a grant', async () => {
    await publish({});
    const listen = async (bearer?: string) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } });
      const init = bearer === undefined ? {} : { requestInit: { headers: { authorization: bearer } } };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), init));
      let told = 0;
      client.setNotificationHandler('notifications/tools/list_changed', () => {
        told++;
      });
      const subscription = await client.listen({ toolsListChanged: true });
      return { told: () => told, close: () => subscription.close().then(() => client.close()) };
    };
    const streams = [await listen(), await listen(agent.bearer)];
    await publish({ public_profiles: [INVENTORY] });
    for (const { told } of streams) await expect.poll(told, soon).toBe(1);
    for (const { close } of streams) await close();
  });
});

describe('Outside a grant', () => {
  const blank = (answer: WireAnswer): string =>
    answer.text.replace(/(?:err|trc|req)_[0-9A-Z]{26}/g, 'id').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time');

  it('what is there and what is not answer in the same bytes, and nothing is looked up for either', async () => {
    const foreign = { rooftop_id: LAKESIDE, vehicle_id: unit.vehicle_id };
    const absent = { rooftop_id: 'roof.nowhere', vehicle_id: unit.vehicle_id };
    const took: Record<string, number[]> = { foreign: [], absent: [] };
    const sent: Record<string, Set<string>> = { foreign: new Set(), absent: new Set() };
    for (let round = 0; round < 40; round++)
      for (const [which, args] of Object.entries({ foreign, absent })) {
        const startedAt = performance.now();
        const answer = await call(VEHICLE, args, agent.bearer);
        took[which]?.push(performance.now() - startedAt);
        sent[which]?.add(`${answer.status} ${blank(answer)}`);
        const record = await recordOf(answer);
        expect(record).toMatchObject({
          reason: 'rooftop_outside_grant',
          decision: 'deny',
          rooftop_ids: [],
          resource_ids: [],
        });
      }
    expect([...(sent['foreign'] ?? [])]).toEqual([...(sent['absent'] ?? [])]);
    expect(sent['foreign']?.size).toBe(1);
    const median = (all: readonly number[] = []): string => (all.toSorted((a, b) => a - b)[20] ?? 0).toFixed(2);
    process.stdout.write(
      `outside the grant, median ms: there ${median(took['foreign'])}, not there ${median(took['absent'])}\n`,
    );
  });

  it('one rooftop too many fails the whole request, while the list of the business stays public', async () => {
    const partly = await call(SEARCH, { rooftop_ids: [DOWNTOWN, LAKESIDE] }, agent.bearer);
    expect(partly.json.result.structuredContent.code).toBe('dealeragent.tenant.forbidden');
    const business = await call(DEALER, {}, agent.bearer);
    const rooftops = business.json.result.structuredContent.rooftops as { rooftop_id: string }[];
    expect(rooftops.length).toBeGreaterThan(1);
    expect((await recordOf(business))?.rooftop_ids).toEqual(rooftops.map((r) => r.rooftop_id));
    const search = await call(SEARCH, { query: 'nothing-has-this-name' }, agent.bearer);
    expect((await recordOf(search))?.rooftop_ids).toEqual([DOWNTOWN]);
  });
});
