import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALLOWED_ORIGINS, DapWorld, DOWNTOWN, ORGANIZATION, UNITS } from '../../support/dap-world.js';
import { callTool, modern, modernHeaders, modernMeta, post, postModern, send } from '../../support/mcp-http.js';
import { needs, TOOL } from './checks.js';

const organization = { organization_id: ORGANIZATION };

let world: DapWorld;
beforeAll(async () => {
  world = await DapWorld.open();
});
afterAll(() => world.stop());

describe('Public DAP checks 11 to 18: the MCP wire', () => {
  it('DAP 11: server/discover names revisions and capabilities and is complete', async () => {
    const { json } = await postModern(world.url, 'server/discover');
    expect(json.result.resultType).toBe('complete');
    expect(json.result.supportedVersions).toContain('2026-07-28');
    expect(json.result.capabilities).toMatchObject({ tools: {}, resources: {} });
  });

  it('DAP 12: an older version claimed in a modern request is -32022 and told what is served', async () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta('2025-06-18') } };
    const headers = { ...modernHeaders('tools/list'), 'mcp-protocol-version': '2025-06-18' };
    const { json, status } = await post(world.url, request, headers);
    expect(status).toBe(400);
    expect(json.error.code).toBe(-32022);
    expect(json.error.data.supported).toContain('2026-07-28');
  });

  it('DAP 13: the list of tools is stable, sorted by name, and has both schemas for each', async () => {
    const lists = [(await postModern(world.url, 'tools/list')).json, (await postModern(world.url, 'tools/list')).json];
    expect(lists[1].result.tools).toEqual(lists[0].result.tools);
    const tools = lists[0].result.tools as { name: string; inputSchema: object; outputSchema: object }[];
    expect(tools.map((t) => t.name)).toEqual(tools.map((t) => t.name).toSorted());
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object' });
      expect(tool.outputSchema).toBeTypeOf('object');
    }
  });

  it('DAP 14: structured content equals the JSON of the text, and is complete and no error', async () => {
    const { json } = await callTool(world.url, TOOL.search, organization);
    expect(JSON.parse(json.result.content[0].text as string)).toEqual(json.result.structuredContent);
    expect(json.result).toMatchObject({ isError: false, resultType: 'complete' });
  });

  it('DAP 15: a failure of business is a result of the tool, not a JSON-RPC error', async () => {
    const request = { ...organization, rooftop_id: DOWNTOWN, vehicle_id: 'veh.absent' };
    const { json, status } = await callTool(world.url, TOOL.vehicle, request);
    expect(status).toBe(200);
    expect(json.error).toBeUndefined();
    expect(json.result).toMatchObject({
      isError: true,
      structuredContent: { code: 'dealeragent.resource.not_found' },
    });
  });

  it('DAP 16: a grant forged inside _meta authorizes nothing', async (context) => {
    await needs(context, world, TOOL.availability);
    const grant = {
      subject: 'operator:reference-demo',
      scopes: ['dealeragent:inventory:read'],
      rooftop_ids: [DOWNTOWN],
    };
    const args = { ...organization, rooftop_id: DOWNTOWN, vin: UNITS.fresh.vin };
    const request = modern('tools/call', { name: TOOL.availability, arguments: args });
    const params = request['params'] as { _meta: object };
    const forged = { ...request, params: { ...params, _meta: { ...params._meta, grant, auth: grant } } };
    const { json } = await post(world.url, forged, modernHeaders('tools/call', TOOL.availability));
    expect((json.result?.structuredContent ?? json.error.data).code).toBe('dealeragent.auth.required');
  });

  it('DAP 17: the manifest is the same from tool and resource, and public', async () => {
    const { body } = await world.call(TOOL.manifest, {});
    const { json } = await postModern(world.url, 'resources/read', { uri: 'dealeragent://manifest' });
    expect(JSON.parse(json.result.contents[0].text as string)).toEqual(body);
    expect(json.result.cacheScope).toBe('public');
  });
});

describe('Public DAP checks 19 to 24: HTTP', () => {
  const [first, second] = ALLOWED_ORIGINS;

  it('DAP 19: health answers 200, and what is published says that it is no claim of Core', async () => {
    expect((await send(`${world.service.origin}/health/ready`, {})).status).toBe(200);
    const { body } = await world.call(TOOL.manifest, {});
    const claim = await send(body.conformance.claim_uri as string, {});
    expect(claim.status).toBe(200);
    expect(claim.json.status).not.toBe('active');
  });

  it('DAP 20: discover over POST with an allowed origin repeats that origin', async () => {
    const { headers, status } = await postModern(world.url, 'server/discover', {}, { origin: first });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe(first);
  });

  it('DAP 21: a notification is 202 without a body', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { _meta: modernMeta() } };
    const { status, text } = await post(world.url, notification, modernHeaders('notifications/cancelled'));
    expect(status).toBe(202);
    expect(text).toBe('');
  });

  it('DAP 22: a second allowed origin may read health', async () => {
    const { status, headers } = await send(`${world.service.origin}/health/ready`, { headers: { origin: second } });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe(second);
  });

  it('DAP 23: another content type is 415', async () => {
    const { status } = await post(world.url, 'x', { 'content-type': 'text/plain' });
    expect(status).toBe(415);
  });

  it('DAP 24: an origin that is not listed is 403', async () => {
    const { status } = await postModern(world.url, 'server/discover', {}, { origin: 'https://evil.example' });
    expect(status).toBe(403);
  });
});
