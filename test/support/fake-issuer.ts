import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose';

const file = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
/** For EGRESS_CA_FILE. */
export const ISSUER_CA_FILE = file('upstream.pem');

export interface IssuerKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export async function newIssuerKey(alg = 'ES256', kid: string = randomUUID()): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** What a token says; undefined members are left out. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * An authorization server on a real port over TLS, on the same machine. It says of itself what it is told to, counts what it
 * is asked, and signs whatever a test wants signed.
 */
export class FakeIssuer {
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  keys: IssuerKey[] = [];
  /** What another place of the same host says that its keys are. */
  otherKeys: IssuerKey[] = [];
  /** What its metadata says; null for none. */
  metadata: Record<string, unknown> | null;
  /** What its introspection endpoint says of a token. */
  introspected: (token: string) => object = () => ({ active: false });
  /** Of the last question about a token. */
  introspectionAuthorization: string | undefined;
  away = false;

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    /** `host:port`, for EGRESS_ALLOWED_HOSTS. */
    readonly host: string,
    readonly issuer: string,
  ) {
    this.metadata = { issuer, jwks_uri: `${issuer}/jwks` };
  }

  static async start(path = ''): Promise<FakeIssuer> {
    const server = createServer({ key: readFileSync(file('upstream.key.pem')), cert: readFileSync(ISSUER_CA_FILE) });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const issuer = new FakeIssuer(server, host, `https://${host}${path}`);
    issuer.keys = [await newIssuerKey()];
    server.on('clientError', () => undefined);
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        issuer.asked.push(request.url ?? '');
        issuer.introspectionAuthorization = request.headers.authorization ?? issuer.introspectionAuthorization;
        const answer = issuer.away ? null : issuer.answerTo(request.url ?? '', body);
        response.writeHead(answer === null ? 503 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer ?? {}));
      });
    });
    return issuer;
  }

  /** A good token of the first key, unless it is changed. */
  async sign(claims: Claims, header: Partial<JWTHeaderParameters> = {}, key?: IssuerKey): Promise<string> {
    const signing = key ?? this.keys[0];
    if (signing === undefined) throw new Error('the issuer has no key');
    const { alg, kid, privateKey } = signing;
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: this.issuer, sub: 'somebody', iat: now, exp: now + 300, jti: randomUUID(), ...claims };
    const said = Object.fromEntries(Object.entries(all as Claims).filter(([, value]) => value !== undefined));
    return new SignJWT(said).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answerTo(path: string, body: string): object | null {
    if (path.endsWith('/jwks')) return { keys: this.keys.map(({ publicJwk }) => publicJwk) };
    if (path.endsWith('/other-jwks')) return { keys: this.otherKeys.map(({ publicJwk }) => publicJwk) };
    if (path.includes('/.well-known/oauth-authorization-server')) return this.metadata;
    if (path.endsWith('/introspect')) return this.introspected(new URLSearchParams(body).get('token') ?? '');
    return null;
  }
}
