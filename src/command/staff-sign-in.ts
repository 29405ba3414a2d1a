import { createHash, randomBytes } from 'node:crypto';
import { CommandError, EXIT } from './exit-codes.js';

const CLIENT = 'forecourt-cli';
/** Nobody listens there: this program reads the redirect itself, as it fills in the forms itself. */
const REDIRECT = 'http://127.0.0.1/callback';
const TIMEOUT_MS = 15_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export interface StaffToken {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
}

/**
 * The whole flow of a browser over HTTP: authorization request with PKCE, sign-in, consent, code, token. Cookies are sent back to
 * the page that set them.
 * @throws CommandError when the service refuses, with what the person can do about it.
 */
export async function signInOverHttp(base: string, person: string, code: string): Promise<StaffToken> {
  const issuer = `${base}/oauth`;
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const browser = new FormBrowser(base);
  const signInPage = await browser.open(authorizationUrl(issuer, base, verifier, state));
  const consentPage = await browser.submit(signInPage, 'sign-in', { person, code });
  const back = new URL((await browser.submit(consentPage, 'consent', {})).url);
  const granted = back.href.startsWith(`${REDIRECT}?`) ? back.searchParams : new URLSearchParams();
  if (granted.get('state') !== state || granted.get('iss') !== issuer || granted.get('code') === null)
    throw new CommandError('the service did not give a code', EXIT.failed);
  return exchange(issuer, granted.get('code') ?? '', verifier);
}

function authorizationUrl(issuer: string, base: string, verifier: string, state: string): string {
  const query = new URLSearchParams({
    client_id: CLIENT,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'forecourt:admin',
    resource: `${base}/admin`,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${issuer}/auth?${query.toString()}`;
}

async function exchange(issuer: string, code: string, verifier: string): Promise<StaffToken> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: CLIENT,
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  });
  const answer = await reach(`${issuer}/token`, { method: 'POST', headers: FORM, body: body.toString() });
  const token = (await answer.json()) as { access_token?: string; expires_in?: number };
  if (token.access_token === undefined || token.expires_in === undefined)
    throw new CommandError('the service did not give a token', EXIT.failed);
  return { accessToken: token.access_token, expiresIn: token.expires_in };
}

interface Page {
  readonly url: string;
  readonly status: number;
  readonly html: string;
}

/** Cookies by the path that they are for; redirects inside the service are followed, one that leaves it ends the way. */
class FormBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly base: string) {}

  async open(url: string, init: RequestInit = {}): Promise<Page> {
    let [target, options] = [url, init];
    for (let redirects = 0; redirects < 10; redirects++) {
      const cookie = [...this.cookies.values()].join('; ');
      const headers = { ...(options.headers as Record<string, string> | undefined), cookie };
      const answer = await reach(target, { ...options, headers, redirect: 'manual' });
      for (const line of answer.headers.getSetCookie()) this.keep(line);
      const location = answer.headers.get('location');
      if (location === null) return { url: target, status: answer.status, html: await answer.text() };
      [target, options] = [new URL(location, target).href, {}];
      if (!target.startsWith(`${this.base}/`)) return { url: target, status: answer.status, html: '' };
    }
    throw new CommandError('the service redirects in circles', EXIT.failed);
  }

  submit(page: Page, step: string, fields: Readonly<Record<string, string>>): Promise<Page> {
    const action = new RegExp(`action="([^"]+/${step})"`).exec(page.html)?.[1];
    if (action === undefined) throw new CommandError(REASONS[page.status] ?? REASONS[0] ?? '', EXIT.failed);
    const body = new URLSearchParams(fields).toString();
    return this.open(new URL(action, page.url).href, { method: 'POST', headers: FORM, body });
  }

  private keep(line: string): void {
    const pair = line.split(';', 1)[0] ?? '';
    this.cookies.set(pair.split('=', 1)[0] ?? '', pair);
  }
}

const REASONS: Readonly<Record<number, string>> = {
  0: 'the service refused; is its authorization server on, and is this its PUBLIC_URL?',
  401: 'that person and code do not belong together; each code works once and not for long',
  429: 'too many attempts; wait a minute',
};

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    throw new CommandError('the service cannot be reached', EXIT.failed);
  }
}
