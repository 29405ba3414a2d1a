import { createHash, randomBytes } from 'node:crypto';
import { newRequestId, traceIdOfRequest } from '../../src/kernel/ids.js';
import { IssueStaffCode, ManageStaff, type StaffRole } from '../../src/modules/staff/index.js';
import { Browser, type Page } from './browser.js';
import type { TestService } from './service.js';

export const READ_SCOPES = 'dealeragent:inventory:read dealeragent:pricing:read';
export const CALLBACK = 'http://127.0.0.1:4567/callback';

const origin = () => {
  const eventId = newRequestId();
  return {
    eventId,
    traceId: traceIdOfRequest(eventId),
    surface: 'command',
    actorKind: 'system',
    actor: 'test',
    client: null,
  } as const;
};

/** A person of the organization's staff, by the real parts. */
export async function addPerson(
  service: TestService,
  role: StaffRole,
  organizationId = service.organizationId,
): Promise<string> {
  const person = await service.parts
    .get(ManageStaff)
    .create(organizationId, { name: `A person (${role})`, role }, origin());
  return person.personId;
}

export async function codeOf(
  service: TestService,
  personId: string,
  organizationId = service.organizationId,
): Promise<string> {
  return (await service.parts.get(IssueStaffCode).run(organizationId, personId, origin())).code;
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Every browser of the tests has a network of its own, so that they do not use up each other's attempts. */
let networks = 0;
export const newBrowser = (base: string): Browser => {
  networks++;
  return new Browser(base, `10.1.${networks >> 8}.${networks & 255}`);
};

/** Registers a public client. */
export async function register(base: string, metadata: object = {}): Promise<Record<string, any>> {
  // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
  const answer = await fetch(`${base}/oauth/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Test agent',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
}

export function authorizeUrl(
  base: string,
  clientId: string,
  pkce: Pkce,
  more: Readonly<Record<string, string | undefined>> = {},
): URL {
  const url = new URL(`${base}/oauth/auth`);
  const query = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: READ_SCOPES,
    resource: `${base}/mcp`,
    state: 'a-state',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

/** Signs in and allows; the browser has then left for the client. */
export async function allow(service: TestService, browser: Browser, url: URL, personId: string): Promise<Page> {
  const signIn = await browser.open(url);
  const consent = await browser.submit(signIn, '/sign-in', { person: personId, code: await codeOf(service, personId) });
  return browser.submit(consent, '/consent');
}

export async function tokenRequest(
  base: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, any> }; // eslint-disable-line @typescript-eslint/no-explicit-any -- as above
}

export const codeExchange = (
  base: string,
  clientId: string,
  code: string,
  verifier: string,
  more: Readonly<Record<string, string>> = {},
) =>
  tokenRequest(base, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    ...more,
  });
