// Agents that the benchmark calls as: one with an API key, one with access tokens of an authorization server.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { ROOT } from '../prepare.mjs';

const tls = (name) => join(ROOT, 'test/fixtures/tls', name);
const SCOPES = ['dealeragent:inventory:read', 'dealeragent:pricing:read'];
const CLIENT = 'bench-agent';

/** An authorization server as far as a resource server needs one: metadata, keys, and tokens for the asking. */
export async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' };
  const server = createServer({ key: readFileSync(tls('upstream.key.pem')), cert: readFileSync(tls('upstream.pem')) });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${server.address().port}`;
  const issuer = `https://${host}`;
  server.on('request', (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/jwks' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` }));
  });
  return {
    issuer,
    env: { EGRESS_ALLOWED_HOSTS: host, EGRESS_CA_FILE: tls('upstream.pem') },
    tokenFor: (audience) =>
      new SignJWT({ client_id: CLIENT, scope: SCOPES.join(' ') })
        .setProtectedHeader({ alg: 'ES256', kid: 'bench', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setSubject('bench')
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('1h')
        .setJti(randomUUID())
        .sign(privateKey),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Lets both in for every rooftop of the group. @returns the `Authorization` value of each */
export async function letAgentsIn(service, group, issuer) {
  const post = async (path, body) => {
    const response = await fetch(`${service.origin}/admin/v1/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.keys[group.organizationId]}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return (await response.json()).data;
  };
  const { grant_id: grantId, key } = await post('grants', {
    subject: 'agent:bench',
    rooftop_ids: group.rooftops.map((r) => r.rooftopId),
    profiles: ['dealeragent.discovery/0.1', 'dealeragent.inventory.read/0.1'],
    scopes: SCOPES,
    purposes: ['vehicle_shopping'],
    expires_at: '2099-01-01T00:00:00Z',
  });
  await post('trusted-issuers', { issuer: issuer.issuer });
  await post('agent-clients', { issuer: issuer.issuer, client_id: CLIENT, name: 'Benchmark', grant_id: grantId });
  const audience = `${service.origin}/organizations/${group.organizationId}/mcp`;
  return { key: `Bearer ${key.token}`, token: `Bearer ${await issuer.tokenFor(audience)}` };
}
