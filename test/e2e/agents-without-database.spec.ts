import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { DATABASE_PRESENCE, type DatabasePresence } from '../../src/kernel/ports/database-presence.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { registerClient } from '../support/agent-clients.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { connectSource, CORE_PROFILES, letAgentIn, READ_SCOPES } from '../support/agents.js';
import { DatabaseGate } from '../support/database-gate.js';
import { publishPolicy } from '../support/dealer-policy.js';
import { callTool, type WireAnswer } from '../support/mcp-http.js';
import { addPersons } from '../support/staff.js';
import { TokenWorld } from '../support/token-world.js';

const SEARCH = 'dealeragent.inventory.search';
const PRICE = 'dealeragent.pricing.get_disclosure';
const VERIFY = 'dealeragent.inventory.verify_availability';
const DOWNTOWN = 'roof.downtown';
const LAKESIDE = 'roof.lakeside';
const SUSPENDED = 'org.suspended';
const gate = new DatabaseGate();
const soon = { timeout: 15_000, interval: 50 };

let world: TokenWorld;
let presence: DatabasePresence;
let token: string;
let revokedToken: string;
let atLakeside: string;
let ofSuspended: string;
let vehicleId: string;

beforeAll(async () => {
  world = await TokenWorld.start({
    demo: true,
    hosts: ['127.0.0.1:9'],
    reach: async (url) => {
      await gate.open(Number(new URL(url).port));
      return gate.urlOf(url);
    },
  });
  const { service, issuer } = world;
  presence = service.parts.get<DatabasePresence>(DATABASE_PRESENCE);
  // Nobody is there: a call that is refused does not get as far.
  const source = { name: 'downtown-dms', url: 'http://127.0.0.1:9', authoritative: true };
  await connectSource(service, DOWNTOWN, { ...source, valid_seconds: 60, timeout_ms: 2000 });
  token = `Bearer ${await world.sign()}`;
  atLakeside = (await letAgentIn(service, { rooftop_ids: [LAKESIDE] })).bearer;
  ofSuspended = await agentOfSuspended();
  const gone = await registerClient(service, issuer.issuer, 'revoked-assistant', world.agent.grantId);
  revokedToken = `Bearer ${await world.sign({ client_id: gone.clientId })}`;
  const found = await call(SEARCH, { rooftop_ids: [DOWNTOWN], page: { limit: 1 } }, token);
  vehicleId = found.json.result.structuredContent.vehicles[0].vehicle_id as string;
  expect((await call(SEARCH, {}, revokedToken)).json.result.isError).toBe(false);
  const staff = `Bearer ${await service.adminToken()}`;
  const path = `agent-clients/${gone.agentClientId}/revoke`;
  expect((await callAdmin(service, staff, 'POST', path, undefined, { 'if-match': '"1"' })).status).toBeLessThan(300);
});
afterAll(async () => {
  await world.stop();
  await gate.refuse();
});

const call = (tool: string, args: object, bearer?: string, organizationId = world.service.organizationId) =>
  callTool(
    `${world.service.origin}/organizations/${organizationId}/mcp`,
    tool,
    { organization_id: organizationId, ...args },
    bearer === undefined ? {} : { authorization: bearer },
  );
const codeOf = ({ json }: WireAnswer): string | undefined =>
  (json.result?.structuredContent?.code ?? json.error?.data?.code) as string | undefined;
const search = (rooftopId: string, bearer?: string): Promise<WireAnswer> =>
  call(SEARCH, { rooftop_ids: [rooftopId], page: { limit: 1 } }, bearer);
const price = (bearer?: string): Promise<WireAnswer> =>
  call(PRICE, { rooftop_id: DOWNTOWN, vehicle_id: vehicleId }, bearer);

/** An agent of an organization that is taken out of service after the agent was there once. */
async function agentOfSuspended(): Promise<string> {
  const { service } = world;
  const [store] = DEMO_GROUP.rooftops;
  if (store === undefined) throw new Error('the demo group has no rooftop');
  await service.parts.get(CreateDealerGroup).run({
    ...{ organizationId: SUSPENDED, name: 'Suspended', legalName: null, website: null },
    rooftops: [{ ...store, rooftopId: 'roof.suspended', name: 'Store' }],
  });
  const staff = `Bearer ${await createKey(service, SUSPENDED, 'admin')}`;
  const granted = await callAdmin(service, staff, 'POST', 'grants', {
    ...{ subject: 'agent:x', rooftop_ids: ['roof.suspended'], profiles: CORE_PROFILES, scopes: READ_SCOPES },
    ...{ purposes: ['vehicle_shopping'], expires_at: '2099-01-01T00:00:00Z' },
  });
  const bearer = `Bearer ${(granted.json.data as { key: { token: string } }).key.token}`;
  expect((await call('dealeragent.dealer.get', {}, bearer, SUSPENDED)).status).toBe(200);
  const admin = new pg.Client({ connectionString: service.database.adminUrl });
  await admin.connect();
  await admin.query(`UPDATE forecourt.organizations SET state = 'suspended' WHERE organization_id = $1`, [SUSPENDED]);
  await admin.end();
  return bearer;
}

describe('With the database away', () => {
  it('what the policy shows to everybody is answered to a caller with a token as to one with none', async () => {
    const persons = await addPersons(world.service, world.service.organizationId);
    await publishPolicy(world.service, persons, {
      public_profiles: ['dealeragent.inventory.read/0.1'],
      rooftops: { [LAKESIDE]: { public_profiles: [] } },
    });
    const closed = async (): Promise<readonly number[]> =>
      [await search(LAKESIDE), await price(), await call(SEARCH, {}, revokedToken)].map(({ status }) => status);
    await expect.poll(closed, soon).toEqual([401, 401, 401]);
    expect([await search(LAKESIDE, atLakeside), await price(token)].map(codeOf)).toEqual([undefined, undefined]);
    const refused = await call('dealeragent.dealer.get', {}, ofSuspended, SUSPENDED);
    expect(refused.status).toBeGreaterThanOrEqual(400);

    await gate.refuse();
    await expect.poll(() => presence.away, soon).toBe(true);
    for (const bearer of [undefined, token]) {
      const answer = await search(DOWNTOWN, bearer);
      expect(codeOf(answer)).toBeUndefined();
      expect(answer.json.result.structuredContent.vehicles).toHaveLength(1);
    }
  });

  it.each([
    ['verifying availability', () => call(VERIFY, { rooftop_id: DOWNTOWN, vehicle_id: vehicleId }, token)],
    ['a profile that the policy closes', () => price(token)],
    ['a rooftop at which the policy closes it', () => search(LAKESIDE, atLakeside)],
    ['whatever an anonymous caller needs a grant for', () => price()],
  ])('fails closed: %s', async (_, ask) => {
    expect(presence.away).toBe(true);
    const answer = await ask();
    expect(codeOf(answer), answer.text).toBe('dealeragent.upstream.unavailable');
  });

  it('a client that was revoked and the agent of a suspended organization stay out', async () => {
    for (const answer of [
      await call(SEARCH, {}, revokedToken),
      await call('dealeragent.dealer.get', {}, ofSuspended, SUSPENDED),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.json.result).toBeUndefined();
    }
  });

  it('and all of it is answered again when the database is back', async () => {
    await gate.open(Number(new URL(world.service.database.appUrl).port));
    await expect.poll(() => presence.away, soon).toBe(false);
    await expect.poll(async () => codeOf(await price(token)), soon).toBeUndefined();
    expect((await call(SEARCH, {}, revokedToken)).status).toBe(401);
  });
});
