import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { checkFeed } from '../../src/modules/inventory/index.js';
import { PUBLISHED_EXPORT, type PublishedExport } from '../../src/modules/inventory/index.js';
import { HAS_SPECIFICATIONS, specificationValidator } from '../contract/shared-specifications.js';
import { changeSettings } from '../support/change-settings.js';
import { vinOf } from '../support/feed-csv.js';
import { importFeed } from '../support/import-feed.js';
import { callTool, postModern, send, type WireAnswer } from '../support/mcp-http.js';
import { protocolCsv, protocolRow } from '../support/protocol-csv.js';
import { startTestService, type TestService } from '../support/service.js';

const [A, B] = DEMO_GROUP.rooftops.map((r) => r.rooftopId) as [string, string];
/** Values of cells and units that nobody but staff may ever see. */
const PLANTED = {
  cost: '31337011',
  invoice: '31337022',
  wholesale: '31337033',
  holdback: '31337044',
  book: '31337055',
  listPrice: '3133766',
  note: 'planted internal note',
  description: 'planted description',
  stockedAt: '2026-08-17T03:33:33Z',
  withheldStock: 'PLANTED-WITHHELD',
  withheldVin: vinOf(901),
  soldStock: 'PLANTED-SOLD',
  soldVin: vinOf(902),
  brokenStock: 'PLANTED-BROKEN',
} as const;

/** A dealer's export with columns that must never leave the house. */
function exportWithSecrets(): string {
  const head =
    'DealerId,VIN,Stock #,New/Used,Year,Make,Model,Odometer,MSRP,Price,Vehicle Detail Link,Cost,Invoice,Wholesale,Holdback,Book Value,Internal Notes,Description';
  const secrets = `${PLANTED.cost},${PLANTED.invoice},${PLANTED.wholesale},${PLANTED.holdback},${PLANTED.book},${PLANTED.note},${PLANTED.description}`;
  const car = (n: number, stock: string, price: string, year = '2023'): string =>
    `${B},${vinOf(n)},${stock},U,${year},Honda,Accord,${10_000 + n},${PLANTED.listPrice},${price},https://cars.example/${n},${secrets}`;
  return [
    head,
    ...Array.from({ length: 8 }, (_, i) => car(910 + i, `OK${i}`, '21000')),
    car(901, PLANTED.withheldStock, 'Call'),
    car(903, PLANTED.brokenStock, '20000', 'x'),
  ].join('\n');
}

let service: TestService;
let base: string;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  base = `${service.origin}/organizations/${service.organizationId}`;
  for (const id of [A, B]) await changeSettings(service, id, { publish_inventory_age: false });
  const charges = JSON.stringify([
    { label: 'Fee, "doc"', amount_minor: 36_700, payee: 'dealer', included_in_advertised_price: false },
  ]);
  const stocked = { stocked_at: PLANTED.stockedAt };
  await importFeed(service, 'feed.protocol', {
    profile: 'dealer-agent-inventory-csv/0.1',
    content: protocolCsv([
      protocolRow(1, A, { ...stocked, required_dealer_charges_json: charges, trim: '=SUM(1,2)' }),
      protocolRow(2, A, { ...stocked, required_dealer_charges_json: '[]' }),
      protocolRow(3, A, { ...stocked, availability_status: 'reserved' }),
      protocolRow(902, A, { ...stocked, stock_number: PLANTED.soldStock, availability_status: 'unavailable' }),
    ]),
    rooftopIds: [A],
  });
  await importFeed(service, 'feed.secrets', {
    profile: 'vauto',
    content: exportWithSecrets(),
    rooftopIds: [B],
    settings: { odometer_unit: 'mi' },
  });
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<WireAnswer> =>
  send(`${base}/${path}`, { method, headers });

describe('The links of the manifest and of the publication', () => {
  it('lead to what they are called', async () => {
    const manifest = (await callTool(`${base}/mcp`, 'dealeragent.discovery.get_manifest', {})).json.result
      .structuredContent;
    const publication = (await get('.well-known/dealer-agent.json')).json;
    const schema = 'dealeragent.inventory.search.output.json';
    for (const [link, has] of [
      [manifest.schema_base_uri, schema],
      [new URL(schema, manifest.schema_base_uri as string).href, '"vehicles"'],
      [manifest.policy_uri, 'policy'],
      [manifest.authority_policy.uri, 'authority'],
      [manifest.conformance.claim_uri, 'core_claim'],
      [publication.published_feed.url, 'organization_id'],
    ] as readonly (readonly [string, string])[]) {
      const { status, text } = await send(link, {});
      expect([link, status, text.includes(has)]).toEqual([link, 200, true]);
    }
    for (const absent of ['a/b', 'dealeragent.nothing.input.json', '../0.2'])
      expect((await send(`${manifest.schema_base_uri as string}${absent}`, {})).status).toBe(400);
    expect((await postModern(publication.gateway as string, 'tools/list')).status).toBe(200);
  });
});

describe('The published inventory as CSV', () => {
  it('is what our own feed reader takes for a sound feed of the protocol', async () => {
    const csv = await get('inventory.csv');
    expect(csv.status).toBe(200);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const bytes = {
      async *chunks(): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(Buffer.from(csv.text));
      },
    };
    const report = await checkFeed(bytes, {
      organizationId: service.organizationId,
      profile: 'auto',
      rooftops: { kind: 'by_key', keys: { [A]: A, [B]: B } },
      settings: { currency: 'USD', timeZone: 'UTC' },
      receivedAt: Date.now(),
    });
    expect(report).toMatchObject({ profile: 'dealer-agent-inventory-csv/0.1' });
    expect(JSON.stringify(report)).toContain('"publishable":11');
  });

  it('says the same as the tools do of each unit', async () => {
    const lines = (await get('inventory.csv')).text.split('\r\n');
    expect(lines).toHaveLength(1 + 11 + 1);
    const line = lines.find((l) => l.includes(vinOf(1)));
    expect(line).toContain('"=SUM(1,2)"');
    expect(line).toContain('""label"":""Fee, \\""doc\\""""');
    expect(lines.find((l) => l.includes(vinOf(2)))).toContain(',USD,[],');
    expect(lines.find((l) => l.includes(vinOf(3)))).toContain(',USD,,,unknown,reserved,');
  });

  it('has an entity tag that holds until something changes, for HEAD as for GET', async () => {
    const first = await get('inventory.csv');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toContain('max-age=60');
    expect(await get('inventory.csv', { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
    const head = await get('inventory.csv', {}, 'HEAD');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('etag')).toBe(etag);
    await changeSettings(service, B, { required_charges: { status: 'none' } });
    await expect
      .poll(async () => (await get('inventory.csv', { 'if-none-match': etag })).text, { timeout: 20_000 })
      .toContain(',USD,[],');
  });

  it('comes in batches and knows no other organization', async () => {
    const exported = await service.parts.get<PublishedExport>(PUBLISHED_EXPORT).open(service.organizationId);
    const sizes: number[] = [];
    for await (const batch of exported.batches()) sizes.push(batch.length);
    expect(sizes).toEqual([3, 8]);
    expect((await send(`${service.origin}/organizations/org.other/inventory.csv`, {})).status).toBe(400);
  });
});

describe('The static publication', () => {
  it('names gateway, feed and defaults, the same at both addresses', async () => {
    const own = await get('.well-known/dealer-agent.json');
    expect(own.json).toMatchObject({
      organization_id: service.organizationId,
      gateway: `${base}/mcp`,
      published_feed: { url: `${base}/inventory.csv`, authority: 'asserted', freshness_sla_seconds: 86_400 },
      disclosure_defaults: { required_dealer_charges: [], government_charges: 'unknown' },
      handoff: { adf_endpoint: null, policy_url: null },
    });
    const ofDefault = await send(`${service.origin}/.well-known/dealer-agent.json`, {});
    expect(ofDefault.json).toEqual(own.json);
    const etag = own.headers.get('etag') ?? '';
    expect((await get('.well-known/dealer-agent.json', { 'if-none-match': `W/${etag}` })).status).toBe(304);
    expect(await get('.well-known/dealer-agent.json', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
    const feed = own.json.published_feed as { url: string };
    expect((await send(feed.url, { method: 'HEAD' })).status).toBe(200);
  });

  describe.skipIf(!HAS_SPECIFICATIONS)('beside the published schema', () => {
    it('is what it describes', async () => {
      const validate = specificationValidator('dap/schemas/well-known.schema.json', 'dap/schemas/common.schema.json');
      validate((await get('.well-known/dealer-agent.json')).json);
      expect(validate.errors ?? []).toEqual([]);
    });
  });
});

describe('The manifest', () => {
  it('is the same as tool and as resource, lists what resources/list does, and outlives no cache', async () => {
    const mcp = `${base}/mcp`;
    const tool = (await callTool(mcp, 'dealeragent.discovery.get_manifest', {})).json.result;
    const resource = (await postModern(mcp, 'resources/read', { uri: 'dealeragent://manifest' })).json.result;
    const manifest = tool.structuredContent as { resources: string[]; auth_modes: string[]; expires_at: string };
    expect(JSON.parse(resource.contents[0].text as string)).toEqual(manifest);
    const listed = (await postModern(mcp, 'resources/list')).json.result.resources as { uri: string }[];
    expect(manifest.resources).toEqual(listed.map((r) => r.uri));
    expect(manifest.auth_modes).toEqual(['public', 'workload_identity']);
    for (const { ttlMs } of [tool, resource] as { ttlMs: number }[])
      expect(Date.now() + ttlMs).toBeLessThanOrEqual(Date.parse(manifest.expires_at) + 5000);
  });
});

describe('The policy', () => {
  it('is one document as page, as JSON and as resource', async () => {
    const json = await get('policy', { accept: 'application/json' });
    const uri = `dealeragent://organization/${service.organizationId}/policy/forecourt.published-retail`;
    const resource = await postModern(`${base}/mcp`, 'resources/read', { uri });
    expect(JSON.parse(resource.json.result.contents[0].text as string)).toEqual(json.json);
    const unknown = await postModern(`${base}/mcp`, 'resources/read', { uri: uri.replace('retail', 'other') });
    expect(unknown.json.error.message).toBe('Resource not found.');
    expect((await get('policy')).text).toContain('<h2 id="completeness">');
  });
});

describe('Values that nobody but staff may see', () => {
  it('are in the file, so that this test can find them', () => {
    expect(exportWithSecrets()).toContain(PLANTED.invoice);
    expect(readFileSync(new URL(import.meta.url), 'utf8')).toContain(PLANTED.stockedAt);
  });

  it('are in no answer of any tool, resource or document', async () => {
    const answers: string[] = [];
    const mcp = `${base}/mcp`;
    const org = { organization_id: service.organizationId };
    const found = await callTool(mcp, 'dealeragent.inventory.search', { ...org, page: { limit: 100 } });
    const vehicles = found.json.result.structuredContent.vehicles as { vehicle_id: string; rooftop_id: string }[];
    expect(vehicles).toHaveLength(11);
    const withheld = [
      { rooftop_id: B, stock_number: PLANTED.withheldStock },
      { rooftop_id: B, vin: PLANTED.withheldVin },
      { rooftop_id: A, vin: PLANTED.soldVin },
    ];
    const { tools } = (await postModern(mcp, 'tools/list')).json.result as { tools: { name: string }[] };
    for (const { name } of tools) {
      const units = vehicles.map(({ rooftop_id, vehicle_id }) => ({ ...org, rooftop_id, vehicle_id }));
      const hidden = withheld.map((selector) => ({ ...org, ...selector }));
      for (const args of [org, ...units, ...hidden]) answers.push((await callTool(mcp, name, args)).text);
    }
    for (const query of [PLANTED.withheldStock, PLANTED.note, PLANTED.cost])
      answers.push(
        JSON.stringify((await callTool(mcp, 'dealeragent.inventory.search', { ...org, query })).json.result),
      );
    for (const { rooftop_id, vehicle_id } of vehicles) {
      const uri = `dealeragent://organization/${service.organizationId}/rooftop/${rooftop_id}/vehicle/${vehicle_id}`;
      answers.push((await postModern(mcp, 'resources/read', { uri })).text);
    }
    for (const uri of ['dealeragent://manifest', `dealeragent://organization/${service.organizationId}`])
      answers.push((await postModern(mcp, 'resources/read', { uri })).text);
    for (const path of ['policy', 'conformance-statement.json', 'inventory.csv', '.well-known/dealer-agent.json'])
      answers.push((await get(path)).text);
    const all = answers.join('\n');
    expect(all).toContain('OK1');
    expect(Object.entries(PLANTED).filter(([, value]) => all.includes(value))).toEqual([]);
  });
});

describe('Public documents', () => {
  it('count on the allowance of their network', async () => {
    const limited = await startTestService({ demo: false, env: { ANONYMOUS_CALLS_PER_MINUTE: '3' } });
    try {
      const url = `${limited.origin}/organizations/${limited.organizationId}/.well-known/dealer-agent.json`;
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await send(url, {})).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    } finally {
      await limited.stop();
    }
  });
});
