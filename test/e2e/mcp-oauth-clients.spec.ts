import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAdmin } from '../support/admin-client.js';
import { connectSource, letAgentIn } from '../support/agents.js';
import { type FakeUpstream, startFakeUpstream, UPSTREAM_CA_FILE } from '../support/fake-upstream.js';
import { callTool } from '../support/mcp-http.js';
import { OAUTH_CLIENTS } from '../support/official-oauth-clients.js';
import { addPerson, allow, newBrowser, READ_SCOPES } from '../support/oauth-world.js';
import { startTestService, type TestService } from '../support/service.js';

const VERIFY = 'dealeragent.inventory.verify_availability';
const DOWNTOWN = 'roof.downtown';

let service: TestService;
let upstream: FakeUpstream;
let admin: string;
let vehicle: Record<string, unknown>;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  upstream.answer(() => ({ body: { status: 'available', observed_at: new Date().toISOString() } }));
  service = await startTestService({
    env: { TRUSTED_PROXIES: '127.0.0.1', EGRESS_ALLOWED_HOSTS: upstream.host, EGRESS_CA_FILE: UPSTREAM_CA_FILE },
  });
  admin = await addPerson(service, 'admin');
  const found = await callTool(`${service.origin}/mcp`, 'dealeragent.inventory.search', {
    organization_id: service.organizationId,
    rooftop_ids: [DOWNTOWN],
    page: { limit: 1 },
  });
  const [first] = found.json.result.structuredContent.vehicles as { vehicle_id: string }[];
  await connectSource(service, DOWNTOWN, {
    name: 'downtown-dms',
    url: upstream.url,
    authoritative: true,
    valid_seconds: 60,
    timeout_ms: 2000,
  });
  vehicle = { organization_id: service.organizationId, rooftop_id: DOWNTOWN, vehicle_id: first?.vehicle_id };
});
afterAll(async () => {
  await service.stop();
  upstream.stop();
});

/** What the dealer does about a client that somebody let in: ties it to a grant. */
async function tie(clientId: string): Promise<void> {
  const { grantId } = await letAgentIn(service, { rooftop_ids: [DOWNTOWN] });
  const tied = await callAdmin(service, `Bearer ${await service.adminToken()}`, 'POST', 'agent-clients', {
    issuer: `${service.origin}/oauth`,
    client_id: clientId,
    name: 'An official client',
    grant_id: grantId,
  });
  expect(tied.status).toBe(201);
}

describe.each(OAUTH_CLIENTS)('$client, with nothing but the address of an endpoint', (official) => {
  it.each(['/mcp', '/organizations/ORG/mcp'])('finds, registers, signs in and calls at %s', async (path) => {
    const url = service.origin + path.replace('ORG', service.organizationId);
    const client = await official.open(url);
    expect(await client.call(VERIFY, vehicle)).toBe('signed out');
    const { memory } = client;
    expect(memory.wanted?.searchParams.get('resource')).toBe(url);
    expect(memory.wanted?.searchParams.get('scope')).toContain('dealeragent:inventory:read');

    const browser = newBrowser(service.origin);
    await allow(service, browser, memory.wanted as URL, admin);
    await client.finish(browser.left as unknown as URL);
    const token = memory.saved?.access_token ?? '';
    expect(decodeJwt(token)).toMatchObject({ aud: url, client_id: memory.registration?.client_id });

    // A person's consent is no grant: until the dealer ties the client to one, its token opens nothing.
    const refused = await callTool(url, VERIFY, vehicle, { authorization: `Bearer ${token}` });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('insufficient_scope');
    await tie(memory.registration?.client_id ?? '');
    await expect
      .poll(() => client.call(VERIFY, vehicle))
      .toMatchObject({ isError: false, structured: { vehicle_id: vehicle['vehicle_id'] } });

    const elsewhere = url.endsWith('/mcp') ? `${url}/underscore` : url;
    expect((await callTool(elsewhere, VERIFY, vehicle, { authorization: `Bearer ${token}` })).status).toBe(401);
    await client.close();
  });

  it('refreshes by itself when its token is no longer good', async () => {
    const url = `${service.origin}/mcp`;
    const client = await official.open(url);
    await client.call(VERIFY, vehicle);
    const { memory } = client;
    const browser = newBrowser(service.origin);
    await allow(service, browser, memory.wanted as URL, admin);
    await client.finish(browser.left as unknown as URL);
    await tie(memory.registration?.client_id ?? '');
    await expect.poll(() => client.call(VERIFY, vehicle)).toMatchObject({ isError: false });
    const first = memory.saved;
    if (first === undefined) throw new Error('no tokens');
    memory.saved = { ...first, access_token: `${first.access_token.slice(0, -4)}AAAA` };
    expect(await client.call(VERIFY, vehicle)).toMatchObject({ isError: false });
    expect(memory.saved.refresh_token).not.toBe(first.refresh_token);
    await client.close();
  });
});

it('says in the challenge and in the metadata where tokens come from', async () => {
  const url = `${service.origin}/mcp`;
  const challenged = await callTool(url, VERIFY, vehicle);
  expect(challenged.status).toBe(401);
  const at = /resource_metadata="([^"]+)"/.exec(challenged.headers.get('www-authenticate') ?? '')?.[1] ?? '';
  const metadata = (await (await fetch(at)).json()) as Record<string, unknown>;
  expect(metadata).toMatchObject({ resource: url, authorization_servers: [`${service.origin}/oauth`] });
  expect(metadata['scopes_supported']).toEqual(READ_SCOPES.split(' '));
});
