import type { JSONWebKeySet } from 'jose';
import { LIMITS } from '../../../kernel/limits.js';
import type { TrustedIssuer } from '../../../kernel/ports/token-verifier.js';
import type { CredentialFolder } from '../../../platform/config/credential-folder.js';
import type { EgressAnswer, EgressClient } from '../../../platform/egress/egress-client.js';
import type { IntrospectedToken, IssuerDocuments } from '../app/issuer-documents.js';

type Json = Readonly<Record<string, unknown>>;

const BOUNDS = { maxBytes: LIMITS.issuerDocumentBytes.value, timeoutMs: LIMITS.issuerTimeoutMs.value };
const HEADERS = { 'user-agent': 'Forecourt-authorization', accept: 'application/json' };

/** Asks authorization servers over HTTPS through the egress guard. No redirects: an issuer is where it says it is. */
export class EgressIssuerDocuments implements IssuerDocuments {
  constructor(
    private readonly egress: EgressClient,
    private readonly credentials: CredentialFolder,
  ) {}

  async keys(issuer: TrustedIssuer): Promise<JSONWebKeySet> {
    const { keys } = await this.get(issuer.jwksUri ?? (await this.keyPlaceOf(issuer.issuer)));
    if (!Array.isArray(keys) || !keys.every(isObject)) throw new Error('the key set of an issuer has no keys');
    return { keys: keys };
  }

  /** The secret of the introspection client and the token go to this endpoint, and nowhere else. */
  async introspect(
    { endpoint, clientId, credential }: NonNullable<TrustedIssuer['introspection']>,
    token: string,
  ): Promise<IntrospectedToken> {
    const secret = await this.credentials.read(credential);
    if (secret === undefined) throw new Error('the credential of an introspection endpoint is missing');
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`; // RFC 6749 §2.3.1
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    const form = { token, token_type_hint: 'access_token' };
    return parsed(await this.egress.post({ url: endpoint, headers: { ...HEADERS, authorization }, form, ...BOUNDS }));
  }

  private async keyPlaceOf(issuer: string): Promise<string> {
    const places = metadataPlacesOf(issuer);
    for (const place of places) {
      const metadata = await this.get(place).catch((error: unknown) => {
        if (place === places.at(-1)) throw error;
        return undefined; // its other well-known form is asked
      });
      if (metadata === undefined) continue;
      // Whoever can put a document there could otherwise lend another issuer its name (RFC 8414 §3.3).
      if (metadata['issuer'] !== issuer) throw new Error('the metadata of an issuer names another issuer');
      if (typeof metadata['jwks_uri'] === 'string') return metadata['jwks_uri'];
      throw new Error('the metadata of an issuer does not say where its keys are');
    }
    throw new Error('an issuer has no metadata');
  }

  private async get(url: string): Promise<Json> {
    return parsed(await this.egress.get({ url, headers: HEADERS, maxRedirects: 0, ...BOUNDS }));
  }
}

/** RFC 8414 §3.1, then OpenID Connect Discovery §4. */
function metadataPlacesOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

async function parsed(answer: EgressAnswer): Promise<Json> {
  if (answer.status !== 200) {
    await answer.discard();
    throw new Error(`an issuer answered with status ${answer.status}`);
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  if (!isObject(document)) throw new Error('an issuer answered with something that is no JSON object');
  return document;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
