import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyUsage } from '../../src/modules/auth/app/key-usage.js';
import { callAdmin } from '../support/admin-client.js';
import { letAgentIn } from '../support/agents.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool, send } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

let service: TestService;
let admin: string;

beforeAll(async () => {
  service = await startTestService({ demo: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  admin = `Bearer ${await service.adminToken()}`;
});
afterAll(async () => {
  await service.stop();
});

const call = (
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<WireAnswer> => callAdmin(service, key, method, path, body, headers);

interface Issued {
  readonly key_id: string;
  readonly token: string;
}

async function issue(more: object = {}, by = admin): Promise<Issued> {
  const created = await call(by, 'POST', 'keys', { name: 'Ada Stone', role: 'admin', ...more });
  expect(created.status, created.text).toBe(201);
  return created.json.data as Issued;
}

const bearer = ({ token }: Issued): string => `Bearer ${token}`;

/** Asks as if from an address, through the trusted proxy. */
const from = (address: string, key: string): Promise<WireAnswer> =>
  send(`${service.origin}/admin/v1/rooftops`, { headers: { authorization: key, 'x-forwarded-for': address } });

describe('A key', () => {
  it('is shown with everything but its secret', async () => {
    const key = await issue({ scopes: ['category:rooftops'], networks: ['::ffff:127.0.0.0/104', '127.0.0.1'] });
    const shown = await call(admin, 'GET', `keys/${key.key_id}`);
    expect(shown.headers.get('etag')).toBe('"1"');
    expect(shown.json.data).toMatchObject({
      key_id: key.key_id,
      name: 'Ada Stone',
      role: 'admin',
      scopes: ['category:rooftops'],
      networks: ['127.0.0.0/8', '127.0.0.1/32'],
      revoked_at: null,
    });
    const list = await call(admin, 'GET', 'keys?limit=100');
    for (const answer of [shown, list]) {
      expect(answer.text).toContain(key.key_id);
      expect(answer.text).not.toMatch(/token|secret|hash/);
    }
  });

  it.each([
    { networks: ['10.0.0.0/33'] },
    { networks: ['example.com'] },
    { scopes: ['everything'] },
    { scopes: null },
    { expires_at: '2020-01-01T00:00:00Z' },
    { role: 'owner' },
    { role: 'admin', grant_id: 'grant.x' },
    { role: 'app', grant_id: 'grant.absent' },
    { name: 'two\nlines' },
    { organization_id: 'org.other' },
    { key_id: 'abc' },
    { secret_hash: 'abc' },
  ])('is not issued with %j', async (more) => {
    const answer = await call(admin, 'POST', 'keys', { name: 'Ada Stone', role: 'admin', ...more });
    expect({ status: answer.status, code: answer.json.error.code }).toEqual({ status: 400, code: 'invalid_input' });
  });

  it('with networks opens nothing from elsewhere, whatever the left-most address says', async () => {
    const key = bearer(await issue({ networks: ['203.0.113.0/24', '2001:db8:1::/48'] }));
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8:1:2::3', '198.51.100.1, 203.0.113.7'])
      expect((await from(address, key)).status, address).toBe(200);
    for (const address of ['203.0.114.7', '2001:db8:2::3', '203.0.113.7, 198.51.100.1']) {
      const refused = await from(address, key);
      expect({ address, status: refused.status, code: refused.json.error.code }).toEqual({
        address,
        status: 403,
        code: 'forbidden_ip',
      });
    }
  });

  it('changes its networks under If-Match, and every process follows', async () => {
    const issued = await issue();
    expect((await from('198.51.100.1', bearer(issued))).status).toBe(200);
    const path = `keys/${issued.key_id}`;
    expect((await call(admin, 'PATCH', path, { networks: [] })).json.error.details.reason).toBe(
      'precondition_required',
    );
    const changed = await call(admin, 'PATCH', path, { networks: ['203.0.113.0/24'] }, { 'if-match': '"1"' });
    expect(changed.json.data).toMatchObject({ version: 2, networks: ['203.0.113.0/24'] });
    await expect.poll(async () => (await from('198.51.100.1', bearer(issued))).status, { timeout: 10_000 }).toBe(403);
    const stale = await call(admin, 'PATCH', path, { name: 'Bo' }, { 'if-match': '"1"' });
    expect(stale.json.error.details.reason).toBe('precondition_failed');
  });

  it('with scopes may only what they name, and never hands on more', async () => {
    const key = bearer(await issue({ scopes: ['op:rooftops.list', 'op:keys.create', 'op:keys.rotate'] }));
    expect((await call(key, 'GET', 'rooftops')).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', 'feeds'],
      ['GET', 'rooftops/roof.downtown'],
      ['POST', 'keys', { name: 'Bo', role: 'admin' }],
      ['POST', 'keys', { name: 'Bo', role: 'admin', scopes: ['category:rooftops'] }],
    ] as const) {
      const refused = await call(key, method, path, body);
      expect({ path, status: refused.status, code: refused.json.error?.code as string }).toEqual({
        path,
        status: 403,
        code: 'forbidden_scope',
      });
    }
    const wide = await issue();
    expect((await call(key, 'POST', `keys/${wide.key_id}/rotate`, {}, { 'if-match': '\"1\"' })).json.error.code).toBe(
      'forbidden_scope',
    );
    expect((await issue({ scopes: ['op:rooftops.list'] }, key)).token).toMatch(/^fck_/);
  });

  it('of an agent opens only what both its scopes and its grant cover', async () => {
    const { grantId } = await letAgentIn(service);
    const narrow = await issue({ role: 'app', grant_id: grantId, scopes: ['op:dealeragent.dealer.get'] });
    const ask = (tool: string): Promise<WireAnswer> =>
      callTool(
        `${service.origin}/organizations/${service.organizationId}/mcp`,
        tool,
        { organization_id: service.organizationId },
        { authorization: bearer(narrow) },
      );
    expect((await ask('dealeragent.dealer.get')).json.result.isError).not.toBe(true);
    expect((await ask('dealeragent.inventory.search')).status).toBe(403);
  });
});

describe('Rotation', () => {
  it('leaves the old key working until a stated time, and never three at once', async () => {
    const first = await issue();
    const second = (await call(admin, 'POST', `keys/${first.key_id}/rotate`, {}, { 'if-match': '\"1\"' })).json
      .data as Issued;
    for (const key of [first, second]) expect((await call(bearer(key), 'GET', 'rooftops')).status).toBe(200);
    expect((await call(admin, 'GET', `keys/${second.key_id}`)).json.data).toMatchObject({ replaces: first.key_id });
    const again = await call(admin, 'POST', `keys/${first.key_id}/rotate`, {}, { 'if-match': '\"1\"' });
    expect(again.json.error.details.reason).toBe('precondition_failed');
    const third = (await call(admin, 'POST', `keys/${second.key_id}/rotate`, {}, { 'if-match': '\"1\"' })).json
      .data as Issued;
    await expect.poll(async () => (await call(bearer(first), 'GET', 'rooftops')).status, { timeout: 10_000 }).toBe(401);
    for (const key of [second, third]) expect((await call(bearer(key), 'GET', 'rooftops')).status).toBe(200);
  });

  it('ends the old key at the stated time', async () => {
    const first = await issue();
    const until = new Date(Date.now() + 3000).toISOString();
    const rotated = await call(
      admin,
      'POST',
      `keys/${first.key_id}/rotate`,
      { old_key_until: until },
      { 'if-match': '\"1\"' },
    );
    expect(rotated.status, rotated.text).toBe(201);
    await expect.poll(async () => (await call(bearer(first), 'GET', 'rooftops')).status, { timeout: 15_000 }).toBe(401);
    expect((await call(bearer(rotated.json.data as Issued), 'GET', 'rooftops')).status).toBe(200);
    const late = new Date(Date.now() + 8 * 86_400_000).toISOString();
    const other = await issue();
    const refused = await call(
      admin,
      'POST',
      `keys/${other.key_id}/rotate`,
      { old_key_until: late },
      { 'if-match': '\"1\"' },
    );
    expect(refused.json.error.details.violations).toEqual([expect.objectContaining({ pointer: '/old_key_until' })]);
  });
});

it('shows when a key was last used, to the minute', async () => {
  const key = await issue();
  const unused = await call(admin, 'GET', `keys/${key.key_id}`);
  expect(unused.json.data.last_used_at).toBeNull();
  const before = Math.floor(Date.now() / 60_000) * 60_000;
  await call(bearer(key), 'GET', 'rooftops');
  await service.parts.get(KeyUsage).flush();
  const { last_used_at: used } = (await call(admin, 'GET', `keys/${key.key_id}`)).json.data as { last_used_at: string };
  expect(Date.parse(used)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(used) % 60_000).toBe(0);
});
