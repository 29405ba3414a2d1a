// An agent that has no key: the official MCP client finds the authorization server by the challenge of a protected tool,
// registers, and sends a person to a page to allow it. Then it asks each rooftop's own system for a car, until it is shut out
// again. `node docs/examples/connect-with-oauth.mjs [MCP URL]`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const url = new URL(process.argv[2] ?? 'http://127.0.0.1:8080/mcp');
const callback = createServer();
await once(callback.listen(0, '127.0.0.1'), 'listening');
const redirectUrl = `http://127.0.0.1:${callback.address().port}/callback`;

// What the SDK wants remembered; a real agent keeps it in its own store.
const memory = {};
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: 'Example agent',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  clientInformation: () => memory.client,
  saveClientInformation: (client) => void (memory.client = client),
  tokens: () => memory.tokens,
  saveTokens: (tokens) => void (memory.tokens = tokens),
  saveCodeVerifier: (verifier) => void (memory.verifier = verifier),
  codeVerifier: () => memory.verifier,
  saveDiscoveryState: (discovery) => void (memory.discovery = discovery),
  discoveryState: () => memory.discovery,
  redirectToAuthorization: (address) => void (memory.address = address),
};

const client = new Client({ name: 'example-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const transport = new StreamableHTTPClientTransport(url, { authProvider });
await client.connect(transport);
const call = async (name, args) => (await client.callTool({ name: `dealeragent.${name}`, arguments: args })).structuredContent;

const { organization_ids: [organization_id], rooftop_ids } = await call('discovery.get_manifest', {});
const cars = [];
for (const rooftop_id of rooftop_ids) {
  const { vehicles } = await call('inventory.search', { organization_id, rooftop_ids: [rooftop_id], page: { limit: 1 } });
  cars.push(...vehicles.map(({ vehicle_id }) => ({ organization_id, rooftop_id, vehicle_id })));
}
console.log('public:', cars.length, 'rooftops of', organization_id, 'have cars');

/** Asks the rooftops' own systems; undefined where the token opens nothing (yet, or any more). */
async function verifyAll() {
  try {
    const answers = [];
    for (const car of [...cars]) {
      const answer = await call('inventory.verify_availability', car);
      answers.push(`${car.rooftop_id} ${answer.code ?? answer.availability.status}`);
      // Said once: who keeps asking for what is refused is made to wait.
      if (answer.code === 'dealeragent.tenant.forbidden' && cars.length > 1) cars.splice(cars.indexOf(car), 1);
    }
    return answers.join(', ');
  } catch (error) {
    if (error instanceof UnauthorizedError || [401, 403].includes(error.data?.status)) return undefined;
    throw error;
  }
}

if ((await verifyAll()) === undefined) {
  console.log('open in a browser:', memory.address.href);
  const [request, response] = await once(callback, 'request');
  response.end('You can close this page.');
  await transport.finishAuth(new URL(request.url, redirectUrl).searchParams);
  console.log('signed in as client', memory.client.client_id, 'of', new URL('/oauth', url).href);
}
callback.close();

let state = 'no grant yet';
let seen;
while (state !== 'shut out') {
  const answers = await verifyAll();
  if (answers !== undefined) state = 'let in';
  else if (state === 'let in') state = 'shut out';
  const line = answers ?? state;
  if (line !== seen) console.log(`${new Date().toISOString()} ${line}`);
  seen = line;
  await pause(250);
}
await client.close();
