import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditTrail } from '../support/audit-trail.js';
import { SdkSubscriptions } from '../../src/surfaces/mcp/sdk-subscriptions.js';
import { changeSettings } from '../support/change-settings.js';
import { callTool, legacy, MODERN, modern, modernHeaders, post, postModern } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const DEALER = 'dealeragent.dealer.get';
const VERIFY = 'dealeragent.inventory.verify_availability';
const GROUP = 'dealeragent://organization/org.harbor-auto-group';

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await startTestService();
  url = `${service.origin}/organizations/${service.organizationId}/mcp`;
});
afterAll(() => service.stop());

const names = async (): Promise<string[]> =>
  ((await postModern(url, 'tools/list')).json.result.tools as { name: string }[]).map(({ name }) => name);

describe('The tool list of an organization', () => {
  it('changes with what is offered: subscribers are told, the list is short, and the tool is unknown', async () => {
    const source = { name: 'Dealer system', url: 'https://dms.example/availability', authoritative: true };
    const availability_source = { ...source, valid_seconds: 120, timeout_ms: 500 };
    await changeSettings(service, 'roof.downtown', { availability_source });
    await expect.poll(names, { timeout: 10_000 }).toContain(VERIFY);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    let told = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told++;
    });
    const subscription = await client.listen({ toolsListChanged: true });
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });

    await changeSettings(service, 'roof.downtown', { availability_source: undefined });
    await expect.poll(() => told, { timeout: 10_000 }).toBe(1);
    expect(await names()).not.toContain(VERIFY);
    const { json } = await callTool(url, VERIFY, {});
    expect(json.error).toMatchObject({ code: -32602, data: { code: 'dealeragent.capability.unsupported' } });

    await changeSettings(service, 'roof.downtown', { availability_source });
    await expect.poll(() => told, { timeout: 10_000 }).toBe(2);
    expect(await names()).toContain(VERIFY);
    await subscription.close();
    await client.close();
  });

  it('is watched as long as the connection lasts: closing it ends the subscription', async () => {
    const subscriptions = service.parts.get(SdkSubscriptions);
    const aborter = new AbortController();
    const listen = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...modernHeaders('subscriptions/listen') },
      body: JSON.stringify(modern('subscriptions/listen', { notifications: { toolsListChanged: true } })),
      signal: aborter.signal,
    });
    expect(listen.headers.get('content-type')).toBe('text/event-stream');
    expect(subscriptions.openCount).toBe(1);
    aborter.abort();
    const before = Date.now();
    while (subscriptions.openCount > 0 && Date.now() - before < 5000) await new Promise((done) => setTimeout(done, 20));
    expect(subscriptions.openCount).toBe(0);
  });

  it('is public, with an age; changes are promised to the modern era alone', async () => {
    const list = (await postModern(url, 'tools/list')).json.result;
    expect(list).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
    expect((await postModern(url, 'server/discover')).json.result.capabilities.tools).toEqual({ listChanged: true });
    const older = (await post(url, legacy('initialize', { protocolVersion: '2025-11-25' }))).json.result;
    expect(older.capabilities.tools).toEqual({ listChanged: false });
  });

  it('has names without dots on the path that asks for them, and calls take both everywhere', async () => {
    for (const base of [url, `${service.origin}/mcp`]) {
      const dotted = (await post(base, legacy('tools/list'))).json.result.tools as { name: string }[];
      const list = (await post(`${base}/underscore`, legacy('tools/list'))).json.result.tools as { name: string }[];
      expect(list.map(({ name }) => name)).toEqual(dotted.map(({ name }) => name.replaceAll('.', '_')));
      for (const path of [base, `${base}/underscore`])
        for (const name of [DEALER, 'dealeragent_dealer_get'])
          expect((await callTool(path, name, {})).json.result.isError).toBe(false);
      const { instructions } = (await post(`${base}/underscore`, legacy('initialize', { protocolVersion: 'x' }))).json
        .result;
      expect(instructions).toContain('dealeragent_discovery_get_manifest');
    }
    const trail = await AuditTrail.open(service.database);
    const called = await callTool(url, 'dealeragent_dealer_get', {});
    const records = await trail.ofEvent(called.headers.get('x-request-id'));
    expect(records.map(({ operation }) => operation)).toEqual([DEALER]);
    await trail.close();
  });
});

describe('The reserved resources', () => {
  const read = async (uri: string): Promise<any> => (await postModern(url, 'resources/read', { uri })).json; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  const content = async (uri: string): Promise<any> => JSON.parse((await read(uri)).result.contents[0].text as string); // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

  it('are listed as templates', async () => {
    const { resourceTemplates } = (await postModern(url, 'resources/templates/list')).json.result;
    const uris = (resourceTemplates as { uriTemplate: string }[]).map(({ uriTemplate }) => uriTemplate);
    expect(uris).toContain('dealeragent://organization/{organization_id}/rooftop/{rooftop_id}/vehicle/{vehicle_id}');
  });

  it('answer what their tools answer', async () => {
    const group = (await callTool(url, DEALER, {})).json.result.structuredContent;
    expect(await content(GROUP)).toEqual(group);
    const rooftop = await content(`${GROUP}/rooftop/roof.downtown`);
    expect((rooftop.rooftops as { rooftop_id: string }[]).map((r) => r.rooftop_id)).toEqual(['roof.downtown']);
    expect(await content(`${GROUP}/policy/forecourt.published-retail`)).toMatchObject({
      policy_id: 'forecourt.published-retail',
      organization_id: service.organizationId,
    });
    const page = await callTool(url, 'dealeragent.inventory.search', { organization_id: service.organizationId });
    const { vehicle_id, rooftop_id, vin } = page.json.result.structuredContent.vehicles[0] as Record<string, string>;
    const uri = `${GROUP}/rooftop/${rooftop_id}/vehicle/${vehicle_id}`;
    expect(await content(uri)).toMatchObject({ vin, vehicle_id });
    expect((await read(uri)).result).toMatchObject({ ttlMs: 0, cacheScope: 'private', contents: [{ uri }] });
  });

  it('are not found alike, whether absent, foreign or none', async () => {
    const uris = [
      'dealeragent://organization/org.other',
      `${GROUP}/rooftop/roof.nowhere`,
      `${GROUP}/rooftop/roof.downtown/vehicle/veh.nowhere`,
      'dealeragent://organization/org.other/rooftop/roof.downtown/vehicle/veh.nowhere',
      `${GROUP}/policy/nothing`,
      `${GROUP}/rooftop/`,
      `${GROUP}/rooftop/%zz`,
      'dealeragent://nothing',
    ];
    const plain = (answer: { error: { data: object } }): unknown => ({
      ...answer.error,
      data: { ...answer.error.data, error_id: '', trace_id: '', created_at: '' },
    });
    const answers = await Promise.all(uris.map(async (uri) => plain((await read(uri)) as { error: { data: object } })));
    for (const [index, answer] of answers.entries())
      expect({ uri: uris[index], answer }).toEqual({ uri: uris[index], answer: answers[0] });
    expect(answers[0]).toMatchObject({ code: -32602, data: { code: 'dealeragent.resource.not_found' } });
  });
});
