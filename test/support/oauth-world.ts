import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
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

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of any shape
export type Answered = Readonly<Record<string, any>>;

export interface Registered extends Answered {
  readonly status: number;
  readonly client_id: string;
}

/** Registers a public client. */
export async function register(base: string, metadata: object = {}): Promise<Registered> {
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
  return { ...((await answer.json()) as Answered), status: answer.status } as Registered;
}

export function authorizeUrl(
  base: string,
  clientId: string,
  pkce: Pkce,
  more: Readonly<Record<string, string | undefined>> = {},
): URL {
  const url = new URL(`${base}/oauth/auth`);
  const query: Record<string, string | undefined> = {
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

export interface TokenAnswer extends Answered {
  readonly access_token: string;
  readonly refresh_token?: string;
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
  return { status: answer.status, body: (await answer.json()) as TokenAnswer };
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

export interface Authorized {
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
}

/** A client that a person has just let in, with its code. */
export async function authorized(service: TestService, personId: string, metadata: object = {}): Promise<Authorized> {
  const { client_id: clientId } = await register(service.origin, metadata);
  const pkce = newPkce();
  const browser = newBrowser(service.origin);
  await allow(service, browser, authorizeUrl(service.origin, clientId, pkce), personId);
  const code = browser.left?.searchParams.get('code');
  if (code === null || code === undefined) throw new Error(`no code: ${browser.left?.href ?? 'the browser stayed'}`);
  return { clientId, code, verifier: pkce.verifier };
}

export const refresh = (base: string, clientId: string, refreshToken: string | undefined) =>
  tokenRequest(base, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken ?? '' });

/** What the audit trail says of operations of the authorization server, newest last. */
export async function oauthTrail(service: TestService): Promise<readonly Answered[]> {
  const client = new pg.Client({ connectionString: service.database.adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Answered>(
      `SELECT organization_id, operation, actor_kind, actor, client, decision, reason, resource_ids
       FROM forecourt.audit_events WHERE operation LIKE 'oauth.%' ORDER BY recorded_at, event_id`,
    );
    return rows;
  } finally {
    await client.end();
  }
}
