import { describe, expect, it } from 'vitest';
import type { DealerDirectory } from '../../tenancy/index.js';
import { KnownResources } from './known-resources.js';

const BASE = 'https://gateway.example';
const directory = {
  find: (id: string) => Promise.resolve(id === 'org.north' ? { organizationId: id } : undefined),
  defaultOrganizationId: () => Promise.resolve('org.north'),
  forget: () => undefined,
} as unknown as DealerDirectory;
const resources = new KnownResources(BASE, directory);

describe('Protected resources', () => {
  it.each([
    ['/mcp', 'org.north'],
    ['/mcp/underscore', 'org.north'],
    ['/organizations/org.north/mcp', 'org.north'],
    ['/organizations/org.north/mcp/underscore', 'org.north'],
  ])('are the MCP endpoints: %s', async (path, organizationId) => {
    const scopes = ['dealeragent:inventory:read', 'dealeragent:pricing:read'];
    expect(await resources.find(BASE + path)).toEqual({ uri: BASE + path, kind: 'mcp', organizationId, scopes });
  });

  it('are the admin API, which belongs to no organization', async () => {
    const uri = `${BASE}/admin`;
    expect(await resources.find(uri)).toEqual({ uri, kind: 'admin', organizationId: undefined, scopes: [] });
  });

  it.each([
    '',
    '/',
    '/mcp/',
    '/MCP',
    '/mcp?x=1',
    '/mcp#x',
    '/mcp/underscore/',
    '/admin/',
    '/admin/v1',
    '/organizations/org.north/mcp/',
    '/organizations/org.north/',
    '/organizations/org.south/mcp',
    '/organizations/ORG.NORTH/mcp',
    '/organizations/org.north%2fmcp',
    '/organizations/org.north/../org.north/mcp',
    '.evil.example/mcp',
    ':443/mcp',
  ])('are nothing else: %s', async (path) => {
    expect(await resources.find(BASE + path)).toBeUndefined();
  });

  it.each(['http://gateway.example/mcp', 'https://GATEWAY.example/mcp', '/mcp', 'https://other.example/mcp'])(
    'are compared byte for byte: %s',
    async (uri) => {
      expect(await resources.find(uri)).toBeUndefined();
    },
  );
});
