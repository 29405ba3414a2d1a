import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LetIn } from '../support/agents.js';
import { connectSource, letAgentIn } from '../support/agents.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { AuditTrail } from '../support/audit-trail.js';
import { DapSchemas, HAS_DAP_SCHEMAS } from '../support/dap-schemas.js';
import type { FakeUpstream } from '../support/fake-upstream.js';
import { startFakeUpstream, UPSTREAM_CA_FILE } from '../support/fake-upstream.js';
import { callTool, legacy, post, postModern, type WireAnswer } from '../support/mcp-http.js';
import type { ToolAnswer } from '../support/mcp-clients.js';
import { MCP_CLIENTS } from '../support/mcp-clients.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';
import { approveByTwo } from '../support/approve.js';
import { withRoom } from '../support/with-room.js';

const VERIFY = 'dealeragent.inventory.verify_availability';
const SEARCH = 'dealeragent.inventory.search';
const VEHICLE = 'dealeragent.inventory.get_vehicle';
const DOWNTOWN = 'roof.downtown';
const SECRET = 'the-credential-of-the-dealers-system';
const VALID_SECONDS = 60;

let upstream: FakeUpstream;
let credentials: string;
let service: TestService;
let trail: AuditTrail;
let url: string;
let agent: LetIn;
/** Vehicle ids at the rooftop that has an authoritative source; each test takes its own, because answers are repeated. */
let unasked: string[];
let elsewhere: string;

const now = (shiftMs = 0): string => new Date(Date.now() + shiftMs).toISOString();
const available = (): object => ({ status: 'available', observed_at: now() });
const source = (changes: object = {}) => ({
  name: 'downtown-dms',
  url: upstream.url,
  credential: 'downtown',
  authoritative: true,
  valid_seconds: VALID_SECONDS,
  timeout_ms: 500,
  ...changes,
});
const idsAt = async (rooftopId: string): Promise<string[]> => {
  const { json } = await callTool(url, SEARCH, {
    organization_id: service.organizationId,
    rooftop_ids: [rooftopId],
    page: { limit: 100 },
  });
  return (json.result.structuredContent.vehicles as { vehicle_id: string }[]).map((v) => v.vehicle_id);
};

beforeAll(async () => {
  upstream = await startFakeUpstream();
  credentials = await mkdtemp(join(tmpdir(), 'forecourt-credentials-'));
  await writeFile(join(credentials, 'downtown'), `${SECRET}\n`);
  service = await startTestService({
    env: {
      EGRESS_ALLOWED_HOSTS: upstream.host,
      EGRESS_CA_FILE: UPSTREAM_CA_FILE,
      AVAILABILITY_CREDENTIALS_DIR: credentials,
    },
  });
  url = `${service.origin}/organizations/${service.organizationId}/mcp`;
  trail = await AuditTrail.open(service.database);
  unasked = await idsAt(DOWNTOWN);
  elsewhere = (await idsAt('roof.lakeside'))[0] ?? '';
  await connectSource(service, DOWNTOWN, source());
  agent = await letAgentIn(service);
});
afterAll(async () => {
  await trail.close();
  await service.stop();
  upstream.stop();
  await rm(credentials, { recursive: true, force: true });
});
beforeEach(() => {
  upstream.asked.length = 0;
  upstream.answer(() => ({ body: available() }));
});

const takeVehicle = (): string => unasked.pop() ?? '';
const bearer = (who: LetIn | undefined) => (who === undefined ? {} : { authorization: who.bearer });
/** A check of a unit at the connected rooftop by the agent, unless it is said otherwise. */
const verify = (
  changes: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = bearer(agent),
): Promise<WireAnswer> =>
  callTool(
    url,
    VERIFY,
    {
      organization_id: service.organizationId,
      rooftop_id: DOWNTOWN,
      ...('vehicle_id' in changes || 'vin' in changes ? {} : { vehicle_id: takeVehicle() }),
      ...changes,
    },
    headers,
  );
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
const errorOf = ({ json }: WireAnswer): any =>
  json.error?.data ?? (json.result.isError === true ? json.result.structuredContent : undefined);

describe('A check of availability', () => {
  it('answers what the dealer’s own system says now, with its authority and validity', async () => {
    const vehicle_id = takeVehicle();
    const answer = await verify({ vehicle_id, purpose: 'comparison' });
    const result = answer.json.result.structuredContent;
    expect(result).toMatchObject({
      vehicle_id,
      organization_id: service.organizationId,
      rooftop_id: DOWNTOWN,
      availability: { status: 'available', authority_status: 'authoritative', human_verification_required: false },
      provenance: {
        authority_status: 'authoritative',
        sources: [{ source_name: 'downtown-dms', authority: 'authoritative_dealer_system' }],
      },
      freshness: { state: 'current', max_age_seconds: VALID_SECONDS },
    });
    const { observed_at, valid_until } = result.availability as Record<string, string>;
    expect(Date.parse(valid_until ?? '') - Date.parse(observed_at ?? '')).toBe(VALID_SECONDS * 1000);
    if (HAS_DAP_SCHEMAS) expect(new DapSchemas().violations(VERIFY, result)).toEqual([]);
    const [record] = await trail.ofEvent(answer.headers.get('x-request-id'));
    expect(record).toMatchObject({
      operation: VERIFY,
      actor_kind: 'agent',
      actor: 'agent:buyer-assistant',
      rooftop_ids: [DOWNTOWN],
      resource_ids: [vehicle_id],
      decision: 'allow',
      outcome: 'succeeded',
      purpose: 'comparison',
      policy_version: `built-in.1+${agent.grantId}@1`,
    });
  });

  it('brings the credential of the deployment to the system, and nothing of the caller', async () => {
    await verify({}, { ...bearer(agent), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' });
    const [asked] = upstream.asked;
    expect(asked).toMatchObject({ method: 'POST', url: '/availability' });
    expect(asked?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(Object.keys(JSON.parse(asked?.body ?? '{}') as object).toSorted()).toEqual([
      'rooftop_id',
      'stock_number',
      'vin',
    ]);
    const everything = JSON.stringify(upstream.asked);
    expect(everything).not.toContain(agent.token);
    expect(everything).not.toContain('buyer-assistant');
    expect(asked?.headers.traceparent).toContain('0af7651916cd43dd8448eb211c80319c');
  });

  it('repeats an answer while it is valid, and asks once for callers that come together', async () => {
    upstream.answer(() => ({ body: available(), afterMs: 100 }));
    const vehicle_id = takeVehicle();
    const together = await Promise.all(Array.from({ length: 8 }, () => verify({ vehicle_id })));
    const later = await verify({ vehicle_id });
    const facts = [...together, later].map(({ json }) => JSON.stringify(json.result.structuredContent.availability));
    expect(new Set(facts).size).toBe(1);
    expect(upstream.asked).toHaveLength(1);
  });

  it.each([
    [{ status: 'sold' }, { status: 'sold', authority_status: 'authoritative', human_verification_required: false }],
    [{ status: 'reserviert' }, { status: 'unknown', authority_status: 'unknown', human_verification_required: true }],
  ])('says of %j what it is: %j', async (said, availability) => {
    upstream.answer(() => ({ body: { ...said, observed_at: now() } }));
    const { json } = await verify();
    expect(json.result.isError).toBe(false);
    expect(json.result.structuredContent.availability).toMatchObject(availability);
  });

  it('is stale where the system has not looked for too long', async () => {
    upstream.answer(() => ({ body: { status: 'available', observed_at: now(-61_000) } }));
    expect(errorOf(await verify())).toMatchObject({
      code: 'dealeragent.vehicle.stale',
      retryable: true,
      retry_after_ms: expect.any(Number),
      details: { current_freshness: { state: 'stale', max_age_seconds: VALID_SECONDS } },
    });
  });

  it('is stale at a rooftop without an authoritative source, however new its feed is', async () => {
    const everywhere = await letAgentIn(service, { rooftop_ids: [DOWNTOWN, 'roof.lakeside'] });
    const asked = () => verify({ rooftop_id: 'roof.lakeside', vehicle_id: elsewhere }, bearer(everywhere));
    const unconnected = await asked();
    expect(errorOf(unconnected)).toMatchObject({
      code: 'dealeragent.vehicle.stale',
      details: { current_freshness: { max_age_seconds: 86_400 } },
    });
    await connectSource(service, 'roof.lakeside', source({ authoritative: false }));
    expect(errorOf(await asked()).code).toBe('dealeragent.vehicle.stale');
    expect(upstream.asked).toEqual([]);
    const [record] = await trail.ofEvent(unconnected.headers.get('x-request-id'));
    expect(record).toMatchObject({ rooftop_ids: ['roof.lakeside'], reason: 'no_authoritative_source' });
  });

  it('says that the unit is unavailable where its own system has it no more', async () => {
    upstream.answer(() => ({ status: 410 }));
    expect(errorOf(await verify())).toMatchObject({ code: 'dealeragent.vehicle.unavailable', retryable: false });
  });

  it.each([
    ['is not JSON', { body: 'available' }],
    ['has a member too many', { body: { status: 'available', observed_at: '2026-01-01T00:00:00Z', price: 1 } }],
    ['comes from the future', { body: { status: 'available', observed_at: '2099-01-01T00:00:00Z' } }],
    ['is too large', { body: `{"status":"${'a'.repeat(20_000)}"}` }],
    ['is an error', { status: 500 }],
    ['leads elsewhere', { status: 307, headers: { location: 'https://169.254.169.254/' } }],
    ['takes too long', { body: {}, afterMs: 900 }],
  ])('is unavailable where the answer of the system %s', async (_what, reply) => {
    await verify(); // one good answer: the failures before do not count any more
    upstream.answer(() => reply);
    const error = errorOf(await verify());
    expect(error).toMatchObject({ code: 'dealeragent.upstream.unavailable', retryable: true });
    expect(error.retry_after_ms).toBeGreaterThan(0);
    expect(JSON.stringify(error)).not.toMatch(/127\.0\.0\.1|"available"|169\.254/);
  });

  it('leaves a failing system alone, and says for how long', async () => {
    upstream.answer(() => ({ status: 503 }));
    for (let i = 0; i < 5; i++) await verify();
    upstream.asked.length = 0;
    const error = errorOf(await verify());
    expect(error).toMatchObject({ code: 'dealeragent.upstream.unavailable' });
    expect(error.retry_after_ms).toBeGreaterThan(2000);
    expect(upstream.asked).toEqual([]);
    await connectSource(service, DOWNTOWN, source({ url: `${upstream.url}/mended` }));
  });
});

describe.each(MCP_CLIENTS)('The official $client', (official) => {
  const ask = async (authorization?: string): Promise<ToolAnswer> => {
    const client = await official.open(url, authorization);
    const args = { organization_id: service.organizationId, rooftop_id: DOWNTOWN, vehicle_id: takeVehicle() };
    return client.call(VERIFY, args).finally(() => client.close());
  };

  it('checks a unit with a key, and reads every refusal as an error', async () => {
    expect((await ask(agent.bearer)).structured.availability.status).toBe('available');
    upstream.answer(() => ({ body: { status: 'available', observed_at: now(-61_000) } }));
    expect((await ask(agent.bearer)).structured).toMatchObject({ code: 'dealeragent.vehicle.stale' });
    await expect(ask()).rejects.toThrow();
    await expect(ask('Bearer nonsense')).rejects.toThrow();
  });
});

describe('Who may not ask', () => {
  it('anonymous callers see the tool and are challenged, over both eras', async () => {
    const listed = await postModern(url, 'tools/list');
    expect((listed.json.result.tools as { name: string }[]).map((tool) => tool.name)).toContain(VERIFY);
    const modern = await verify({}, {});
    const args = { organization_id: service.organizationId, rooftop_id: DOWNTOWN, vehicle_id: takeVehicle() };
    const older = await post(url, legacy('tools/call', { name: VERIFY, arguments: args }));
    for (const answer of [modern, older]) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer scope="[^"]+", resource_metadata="[^"]+"$/);
      expect(answer.json.error.data).toMatchObject({ code: 'dealeragent.auth.required', retryable: false });
    }
    expect(upstream.asked).toEqual([]);
  });

  it.each(['initialize', 'tools/list', 'tools/call'])(
    'a bad credential is never taken for none: %s',
    async (method) => {
      const { token } = agent;
      const wrongSecret = `${token.slice(0, 20)}${token[20] === 'a' ? 'b' : 'a'}${token.slice(21)}`;
      for (const authorization of ['Bearer ', 'Bearer x', 'Basic eDp5', `Bearer ${wrongSecret}`, token]) {
        const answer = await post(url, legacy(method, { name: SEARCH, arguments: {} }), { authorization });
        expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", scope=/);
        expect(answer.json.error.data.code).toBe('dealeragent.auth.invalid');
      }
    },
  );

  it('an agent without the scope is told which one, and staff keys and keys without a grant open nothing', async () => {
    const narrow = await letAgentIn(service, { scopes: ['dealeragent:pricing:read'] });
    const answer = await verify({}, bearer(narrow));
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_scope", scope="dealeragent:inventory:read", resource_metadata=/,
    );
    expect(answer.json.error.data.code).toBe('dealeragent.scope.insufficient');
    const others = [await service.adminToken(), await createKey(service, service.organizationId, 'app')];
    for (const token of others) {
      const refused = await postModern(url, 'tools/list', {}, { authorization: `Bearer ${token}` });
      expect([refused.status, refused.json.error.data.code]).toEqual([403, 'dealeragent.scope.insufficient']);
    }
  });

  it.each([
    ['the profile', { profiles: ['dealeragent.inventory.read/0.1'] }],
    ['the purpose', { purposes: ['display'] }],
  ])('an agent without %s', async (_what, changes) => {
    const answer = await verify({}, bearer(await letAgentIn(service, changes)));
    expect([answer.status, errorOf(answer).code]).toEqual([403, 'dealeragent.scope.insufficient']);
  });

  it('a grant in `_meta` or in the arguments authorizes nothing', async () => {
    const forged = {
      subject: 'agent:buyer-assistant',
      rooftop_ids: [DOWNTOWN],
      scopes: ['dealeragent:inventory:read'],
    };
    const args = { organization_id: service.organizationId, rooftop_id: DOWNTOWN, vehicle_id: takeVehicle() };
    const inMeta = await post(
      url,
      legacy('tools/call', {
        name: VERIFY,
        arguments: args,
        _meta: { grant: forged, authorization: agent.bearer, 'dealeragent/auth': forged },
      }),
    );
    expect([inMeta.status, errorOf(inMeta).code]).toEqual([401, 'dealeragent.auth.required']);
    const inArguments = await verify({ grant: forged }, {});
    expect(errorOf(inArguments).code).toBe('dealeragent.validation.invalid');
  });
});

describe('A rooftop outside the grant', () => {
  /** Ids and times differ from answer to answer; nothing else may. */
  const alike = ({ status, text, headers }: WireAnswer): object => ({
    status,
    text: text.replaceAll(/(err|trc|req)_[0-9A-Z]{26}/g, '$1').replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'time'),
    headers: [...headers.keys()].filter((name) => name !== 'date').toSorted(),
  });

  it.each([VERIFY, VEHICLE])('looks the same to %s whether the unit, the rooftop or nothing exists', async (tool) => {
    const ask = (rooftop_id: string, vehicle_id: string): Promise<WireAnswer> =>
      callTool(url, tool, { organization_id: service.organizationId, rooftop_id, vehicle_id }, bearer(agent));
    const answers = [
      await ask('roof.lakeside', elsewhere),
      await ask('roof.lakeside', 'veh.nothing'),
      await ask('roof.nowhere', 'veh.nothing'),
    ];
    expect(errorOf(answers[0]!).code).toBe('dealeragent.tenant.forbidden');
    expect(answers.map(alike)).toEqual([alike(answers[0]!), alike(answers[0]!), alike(answers[0]!)]);
    expect(errorOf(await ask(DOWNTOWN, 'veh.nothing')).code).toBe('dealeragent.resource.not_found');
    const [record] = await trail.ofEvent(answers[0]!.headers.get('x-request-id'));
    expect(record).toMatchObject({ decision: 'deny', reason: 'rooftop_outside_grant', rooftop_ids: [] });
  });

  it('fails a search whole, and is no part of one that names none', async () => {
    const search = (more: object): Promise<WireAnswer> =>
      callTool(url, SEARCH, { organization_id: service.organizationId, page: { limit: 100 }, ...more }, bearer(agent));
    expect(errorOf(await search({ rooftop_ids: [DOWNTOWN, 'roof.lakeside'] })).code).toBe(
      'dealeragent.tenant.forbidden',
    );
    const { vehicles } = (await search({})).json.result.structuredContent as { vehicles: { rooftop_id: string }[] };
    expect(new Set(vehicles.map((v) => v.rooftop_id))).toEqual(new Set([DOWNTOWN]));
  });

  it('is refused like an organization that is not there, by the endpoint too', async () => {
    const at = (organization: string): Promise<WireAnswer> =>
      postModern(`${service.origin}/organizations/${organization}/mcp`, 'tools/list', {}, bearer(agent));
    const [foreign, absent] = [await at('org.another'), await at('org.nowhere')];
    expect([foreign.status, errorOf(foreign).code]).toEqual([403, 'dealeragent.tenant.forbidden']);
    expect(alike(absent)).toEqual(alike(foreign));
  });
});

describe('What a dealer does on a running service', () => {
  it('a group delegation opens every rooftop until it is revoked', async () => {
    const staff = `Bearer ${await service.adminToken()}`;
    const recorded = await callAdmin(service, staff, 'POST', 'group-delegations', {
      grantee: 'agent:group',
      covers: 'all',
      scopes: ['dealeragent:inventory:read'],
      expires_at: '2099-01-01T00:00:00Z',
    });
    expect(recorded.status).toBe(202);
    const { delegation_id, approval } = recorded.json.data as {
      delegation_id: string;
      approval: { approval_id: string };
    };
    await approveByTwo(service.parts, service.organizationId, approval.approval_id);
    expect((await callAdmin(service, staff, 'POST', `group-delegations/${delegation_id}/activate`)).status).toBe(200);
    const group = await letAgentIn(service, { subject: 'agent:group', delegation_id });
    const ask = (): Promise<WireAnswer> =>
      callTool(
        url,
        VEHICLE,
        { organization_id: service.organizationId, rooftop_id: 'roof.lakeside', vehicle_id: elsewhere },
        bearer(group),
      );
    expect((await ask()).json.result.isError).toBe(false);
    expect((await callAdmin(service, staff, 'POST', `group-delegations/${delegation_id}/revoke`)).status).toBe(200);
    await expect.poll(async () => (await ask()).status, { timeout: withRoom(2000), interval: 50 }).toBe(401);
  });

  it.each(['grants', 'keys'] as const)(
    'revoking one of the %s ends the agent’s access within two seconds',
    async (kind) => {
      const other = await letAgentIn(service);
      const list = async (): Promise<number> => (await postModern(url, 'tools/list', {}, bearer(other))).status;
      expect(await list()).toBe(200);
      const id = kind === 'grants' ? other.grantId : other.keyId;
      const staff = `Bearer ${await service.adminToken()}`;
      expect((await callAdmin(service, staff, 'POST', `${kind}/${id}/revoke`)).status).toBe(200);
      await expect.poll(list, { timeout: withRoom(2000), interval: 50 }).toBe(401);
      expect((await callAdmin(service, staff, 'POST', `${kind}/nothing/revoke`)).status).toBe(400);
    },
  );

  it('needs the role admin, and every problem of a grant is named at once', async () => {
    const auditor = `Bearer ${await createKey(service, service.organizationId, 'auditor')}`;
    expect((await callAdmin(service, auditor, 'GET', 'grants')).status).toBe(403);
    const staff = `Bearer ${await service.adminToken()}`;
    const { status, text } = await callAdmin(service, staff, 'POST', 'grants', { subject: 'a b', scopes: ['all'] });
    expect(status).toBe(400);
    for (const pointer of ['/subject', '/scopes', '/rooftop_ids', '/profiles', '/purposes', '/expires_at'])
      expect(text).toContain(pointer);
    expect((await callAdmin(service, staff, 'GET', 'grants')).text).not.toContain(agent.token);
  });

  it('leaves no token and no credential in the audit trail', async () => {
    const text = await trail.text();
    expect(text).toContain('agent:buyer-assistant');
    expect(text).not.toContain(agent.token);
    expect(text).not.toContain(agent.token.split('_')[2]);
    expect(text).not.toContain(SECRET);
  });
});
