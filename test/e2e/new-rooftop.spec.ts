import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORM_TENANT } from '../../src/kernel/ids.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { csvOf, range, vinOf } from '../support/feed-csv.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';

/** An organization and a rooftop made over the admin API alone, up to a car that an agent finds. */

const GROUP = 'org.north';
const STORE = 'roof.north-main';

let service: TestService;
let operator: string;
let admin: string;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  operator = `Bearer ${await createKey(service, PLATFORM_TENANT, 'admin')}`;
});
afterAll(() => service.stop());

const post = async (by: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
  const answer = await callAdmin(service, by, 'POST', path, body);
  expect([201, 202], answer.text).toContain(answer.status);
  return answer.json.data as Record<string, unknown>;
};
const search = (args: object = {}): Promise<WireAnswer> =>
  callTool(`${service.origin}/organizations/${GROUP}/mcp`, 'dealeragent.inventory.search', {
    ...{ organization_id: GROUP, page: { limit: 100 } },
    ...args,
  });
const code = (answer: WireAnswer): unknown => answer.json.result?.structuredContent?.code ?? answer.status;
const soon = { timeout: 30_000, interval: 100 };

describe('A rooftop that was made over the admin API', () => {
  it('is unknown until then, and is found by agents as soon as it is there, empty', async () => {
    const named = { organization_id: GROUP, name: 'North Auto', admin_name: 'Bo Miller' };
    const home = { time_zone: 'America/Chicago', currency: 'USD', country: 'US' };
    const { key } = await post(operator, 'organizations', { ...named, ...home });
    admin = `Bearer ${(key as { token: string }).token}`;
    expect(code(await search({ rooftop_ids: [STORE] }))).toBe('dealeragent.resource.not_found');
    const address = { lines: ['1 Main Street'], locality: 'Springfield', region: 'IL', postal_code: '62701' };
    await post(admin, 'rooftops', { rooftop_id: STORE, name: 'North Main', address, departments: ['sales'] });
    await expect
      .poll(async () => code(await search({ rooftop_ids: [STORE] })), soon)
      .not.toBe('dealeragent.resource.not_found');
  });

  it('takes a feed, a file and an event, and every car is found at it and nowhere else', async () => {
    const feed = { feed_id: 'feed.main', name: 'Main', profile: 'vauto', rooftops: { rooftop_id: STORE } };
    await post(admin, 'feeds', { ...feed, settings: { odometer_unit: 'mi' } });
    const { run_id: runId } = await post(admin, 'feeds/feed.main/files?name=main.csv', csvOf(range(1, 12)));
    const run = async (): Promise<unknown> =>
      (await callAdmin(service, admin, 'GET', `feed-runs/${String(runId)}`)).json.data.state;
    await expect.poll(run, soon).toBe('published');
    const vins = async (): Promise<readonly string[]> => {
      const { structuredContent } = (await search()).json.result as {
        structuredContent: { vehicles?: readonly { vin: string; rooftop_id: string }[] };
      };
      const found = structuredContent.vehicles ?? [];
      expect(found.filter((vehicle) => vehicle.rooftop_id !== STORE)).toEqual([]);
      return found.map(({ vin }) => vin).toSorted();
    };
    await expect.poll(vins, soon).toEqual(range(1, 12).map(vinOf).toSorted());
    const sold = { event_id: 'evt-1', rooftop_id: STORE, vin: vinOf(3), kind: 'sold' };
    await callAdmin(service, admin, 'POST', 'unit-events', { ...sold, source_time: new Date().toISOString() });
    const left = range(1, 12).filter((n) => n !== 3);
    await expect.poll(vins, soon).toEqual(left.map(vinOf).toSorted());
    const other = await callTool(
      `${service.origin}/organizations/${service.organizationId}/mcp`,
      'dealeragent.inventory.search',
      { organization_id: service.organizationId, rooftop_ids: [STORE] },
    );
    expect(code(other)).toBe('dealeragent.resource.not_found');
  });
});
