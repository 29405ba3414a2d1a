import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin } from '../support/admin-client.js';
import { READ_SCOPES } from '../support/agents.js';
import { send } from '../support/mcp-http.js';
import { TokenWorld } from '../support/token-world.js';

const OTHER = 'org.other-group';

let world: TokenWorld;

beforeAll(async () => {
  world = await TokenWorld.start();
  await world.service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: OTHER, name: 'Other Group' });
});
afterAll(() => world.stop());

describe('The metadata of a resource', () => {
  const metadata = (suffix: string, headers: Record<string, string> = {}) =>
    send(`${world.service.origin}/.well-known/oauth-protected-resource${suffix}`, { headers });

  it.each(['/mcp', '/mcp/underscore', ''])(
    'names exactly the resource, whom to ask and for what: %j',
    async (suffix) => {
      await expectMetadata(suffix, suffix === '' ? '/mcp' : suffix);
    },
  );

  it('is there for the endpoints of each organization', async () => {
    await expectMetadata(world.path, world.path);
    await expectMetadata(`${world.path}/underscore`, `${world.path}/underscore`);
    const other = await metadata(`/organizations/${OTHER}/mcp`);
    expect(other.json.authorization_servers ?? []).not.toContain(world.issuer.issuer);
  });

  async function expectMetadata(suffix: string, resource: string): Promise<void> {
    const answer = await metadata(suffix);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      resource: world.service.origin + resource,
      authorization_servers: expect.arrayContaining([world.issuer.issuer]),
      scopes_supported: READ_SCOPES,
      bearer_methods_supported: ['header'],
    });
    expect((answer.json.authorization_servers as string[]).at(-1)).toBe(world.issuer.issuer);
  }

  it('of the admin API names no scopes, and no issuer of an organization', async () => {
    const { json } = await metadata('/admin');
    expect(json).toMatchObject({ resource: `${world.service.origin}/admin`, bearer_methods_supported: ['header'] });
    expect(json.authorization_servers ?? []).not.toContain(world.issuer.issuer);
    expect(json).not.toHaveProperty('scopes_supported');
  });

  it('may be read by every page, and kept for a moment', async () => {
    const answer = await metadata('/mcp', { origin: 'https://any.example' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cache-control')).toContain('max-age=60');
    const again = await metadata('/mcp', { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    const preflight = await send(`${world.service.origin}/.well-known/oauth-protected-resource/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'https://any.example', 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version');
  });

  it.each(['/organizations/org.nobody/mcp', '/mcp/', '/MCP', '/admin/v1', '/oauth', '/organizations//mcp', '/%2Fmcp'])(
    'is not there for %s',
    async (suffix) => {
      expect((await metadata(suffix)).status).toBe(404);
    },
  );

  it('is where the challenge says, which official clients follow', async () => {
    for (const at of [world.path, `${world.path}/underscore`, '/mcp', '/mcp/underscore']) {
      const refused = await world.list('x', world.service.origin + at);
      const where = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
      expect((await send(where, {})).json.resource).toBe(world.service.origin + at);
    }
    const staff = await callAdmin(world.service, null, 'GET', 'grants');
    const where = /resource_metadata="([^"]+)"/.exec(staff.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect((await send(where, {})).json.resource).toBe(`${world.service.origin}/admin`);
  });
});
