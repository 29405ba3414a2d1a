import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHttpApp } from '../../src/process/run-service.js';
import { partsOf } from '../../src/process/service-parts.js';
import { freePort } from '../support/child-service.js';
import {
  addPerson,
  authorizeUrl,
  CALLBACK,
  codeOf,
  newBrowser,
  newPkce,
  refresh,
  register,
  tokenRequest,
} from '../support/oauth-world.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let second: NestFastifyApplication;
let [first, other] = ['', ''];
let admin: string;

beforeAll(async () => {
  service = await startTestService({ demo: false, env: { TRUSTED_PROXIES: '127.0.0.1' } });
  first = service.origin;
  admin = await addPerson(service, 'admin');
  const port = await freePort();
  second = await openHttpApp({ ...service.settings, PORT: port, PUBLIC_URL: first });
  await second.listen(port, '127.0.0.1');
  other = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await second.close();
  await service.stop();
});

/** Every step at another process than the one before it, as behind a balancer. */
it('is one server in every process: what one began the other goes on with', async () => {
  const { client_id: clientId } = await register(first);
  const pkce = newPkce();
  const browser = newBrowser(first);
  const page = await browser.open(authorizeUrl(first, clientId, pkce));
  const cookie = [...browser.cookies].map(([key, { value }]) => `${key.split(';')[0]}=${value}`).join('; ');
  const path = new URL(page.url).pathname;
  const form = { 'content-type': 'application/x-www-form-urlencoded', cookie };
  const signedIn = await fetch(`${other}${path}/sign-in`, {
    method: 'POST',
    headers: form,
    body: new URLSearchParams({ person: admin, code: await codeOf(service, admin) }).toString(),
    redirect: 'manual',
  });
  expect(signedIn.status).toBe(303);
  expect(signedIn.headers.get('location')).toMatch(new RegExp(`^${first}/oauth/auth/`)); // PUBLIC_URL, whoever answers
  const consent = await browser.open(signedIn.headers.get('location') ?? '');
  await browser.submit(consent, '/consent');
  const code = browser.left?.searchParams.get('code') ?? '';
  const fields = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: CALLBACK,
    code_verifier: pkce.verifier,
  };
  const { status, body } = await tokenRequest(other, fields);
  expect(status).toBe(200);
  expect(await tokenRequest(first, fields)).toMatchObject({ body: { error: 'invalid_grant' } });
  expect(await refresh(other, clientId, body.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
});

it('goes on after a restart in the middle: request, sign-in, code and refresh token outlive a process', async () => {
  const { client_id: clientId } = await register(first);
  const pkce = newPkce();
  const browser = newBrowser(first);
  const signIn = await browser.open(authorizeUrl(first, clientId, pkce));
  await restart();
  const code = await codeOf({ ...service, parts: partsOf(running ?? service.app) }, admin);
  const consent = await browser.submit(signIn, '/sign-in', { person: admin, code });
  await restart();
  await browser.submit(consent, '/consent');
  await restart();
  const { status, body } = await tokenRequest(first, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: browser.left?.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    code_verifier: pkce.verifier,
  });
  expect(status).toBe(200);
  await restart();
  expect((await refresh(first, clientId, body.refresh_token)).status).toBe(200);
});

/** Nothing of the process before is left: another application on the same port, keys and database. */
let running: NestFastifyApplication | undefined;
async function restart(): Promise<void> {
  await (running ?? service.app).close();
  running = await openHttpApp({ ...service.settings, PUBLIC_URL: first });
  await running.listen(Number(new URL(first).port), '127.0.0.1');
}
afterAll(() => running?.close());
