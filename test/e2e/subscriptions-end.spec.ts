import { afterAll, beforeAll, expect, it } from 'vitest';
import { callAdmin } from '../support/admin-client.js';
import { letAgentIn, READ_SCOPES } from '../support/agents.js';
import { modern, modernHeaders } from '../support/mcp-http.js';
import { registerClient, trustIssuer } from '../support/agent-clients.js';
import { TokenWorld } from '../support/token-world.js';
import { withRoom } from '../support/with-room.js';

let world: TokenWorld;
beforeAll(async () => {
  world = await TokenWorld.start();
});
afterAll(() => world.stop());

/** Opens a subscription. @returns whether its stream is over */
async function subscribe(bearer: string | null): Promise<{ over: boolean }> {
  const answer = await fetch(world.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...modernHeaders('subscriptions/listen'),
      ...(bearer === null ? {} : { authorization: bearer }),
    },
    body: JSON.stringify(modern('subscriptions/listen', { notifications: { toolsListChanged: true } })),
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const state = { over: false };
  void answer.text().then(
    () => (state.over = true),
    () => (state.over = true),
  );
  return state;
}

const revoke = async (path: string): Promise<void> => {
  const staff = `Bearer ${await world.service.adminToken()}`;
  const shown = await callAdmin(world.service, staff, 'GET', path);
  const tag = shown.headers.get('etag');
  const answer = await callAdmin(world.service, staff, 'POST', `${path}/revoke`, undefined, {
    'if-match': tag ?? '"1"',
  });
  expect(answer.status, answer.text).toBeLessThan(300);
};

/** Ends one of them; the others, of other credentials and of nobody, go on. */
async function expectEnd(ended: { over: boolean }, others: readonly { over: boolean }[], path: string): Promise<void> {
  expect(ended.over).toBe(false);
  const started = Date.now();
  await revoke(path);
  await expect.poll(() => ended.over, { timeout: 10_000, interval: 20 }).toBe(true);
  expect(Date.now() - started).toBeLessThan(withRoom(3000));
  expect(others.map(({ over }) => over)).toEqual(others.map(() => false));
}

it('A stream ends within three seconds of the end of what it was opened with, and no other one does', async () => {
  const grants = await Promise.all([letAgentIn(world.service), letAgentIn(world.service), letAgentIn(world.service)]);
  const delegation = await callAdmin(
    world.service,
    `Bearer ${await world.service.adminToken()}`,
    'POST',
    'group-delegations',
    {
      ...{ grantee: 'agent:of-delegation', covers: 'listed', rooftop_ids: ['roof.downtown'] },
      ...{ scopes: READ_SCOPES, expires_at: '2099-01-01T00:00:00Z' },
    },
  );
  const { delegation_id: delegationId } = delegation.json.data as { delegation_id: string };
  const delegated = await letAgentIn(world.service, { subject: 'agent:of-delegation', delegation_id: delegationId });
  const [byKey, byGrant, staying] = grants;
  const client = await registerClient(world.service, world.issuer.issuer, 'another-assistant', staying.grantId);
  const token = await world.sign({ client_id: client.clientId });
  const passing = `${world.issuer.issuer}/passing`;
  const trustId = await trustIssuer(world.service, passing, { jwks_uri: `${world.issuer.issuer}/jwks` });
  const ofIssuer = await registerClient(world.service, passing, 'passing-assistant', staying.grantId);
  const itsToken = await world.sign({ client_id: ofIssuer.clientId, iss: passing });
  await expect.poll(async () => (await world.list(itsToken)).status, { timeout: 20_000 }).toBe(200);
  const issuer = await subscribe(`Bearer ${itsToken}`);
  const streams = {
    key: await subscribe(byKey.bearer),
    grant: await subscribe(byGrant.bearer),
    client: await subscribe(`Bearer ${token}`),
    delegation: await subscribe(delegated.bearer),
    staying: await subscribe(staying.bearer),
    anonymous: await subscribe(null),
  };
  const { key, grant, client: ofClient, delegation: ofDelegation, staying: stays, anonymous } = streams;
  await expectEnd(key, [grant, ofClient, ofDelegation, stays, anonymous], `keys/${byKey.keyId}`);
  await expectEnd(grant, [ofClient, ofDelegation, stays, anonymous], `grants/${byGrant.grantId}`);
  await expectEnd(ofClient, [ofDelegation, stays, anonymous], `agent-clients/${client.agentClientId}`);
  await expectEnd(ofDelegation, [issuer, stays, anonymous], `group-delegations/${delegationId}`);
  await expectEnd(issuer, [stays, anonymous], `trusted-issuers/${trustId}`);
});
