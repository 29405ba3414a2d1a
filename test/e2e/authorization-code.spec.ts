import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addPerson,
  allow,
  authorizeUrl,
  codeExchange,
  newBrowser,
  newPkce,
  READ_SCOPES,
  register,
} from '../support/oauth-world.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let admin: string;
let base: string;

beforeAll(async () => {
  service = await startTestService({
    demo: false,
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      CLIENT_REGISTRATIONS_PER_MINUTE: '1000',
      AUTHORIZATION_CALLS_PER_MINUTE: '10000',
    },
  });
  base = service.origin;
  admin = await addPerson(service, 'admin');
});
afterAll(() => service.stop());

describe('The authorization code flow', () => {
  it('ends in a short token for the one resource, signed with a published key', async () => {
    const client = await register(base);
    const pkce = newPkce();
    const browser = newBrowser(base);
    await allow(service, browser, authorizeUrl(base, client.client_id, pkce), admin);
    expect(browser.left?.href).toContain('http://127.0.0.1:4567/callback?');
    const code = browser.left?.searchParams.get('code') ?? '';
    const { status, body } = await codeExchange(base, client.client_id, code, pkce.verifier);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 600, scope: READ_SCOPES },
    });
    const { payload, protectedHeader } = await jwtVerify(
      body.access_token,
      createRemoteJWKSet(new URL(`${base}/oauth/jwks`)),
      { issuer: `${base}/oauth`, audience: `${base}/mcp`, typ: 'at+jwt', algorithms: ['ES256'] },
    );
    expect(protectedHeader.kid).toEqual(expect.any(String));
    expect(payload).toMatchObject({ sub: admin, client_id: client.client_id, scope: READ_SCOPES, aud: `${base}/mcp` });
    expect(body.refresh_token).toEqual(expect.any(String));
  });
});
