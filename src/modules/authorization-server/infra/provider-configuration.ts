import { errors, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { ProtectedResources } from '../../../kernel/ports/protected-resources.js';
import { TOKEN_ALGORITHMS } from '../../auth/index.js';
import type { Allowances } from '../app/allowances.js';
import { exchangeOf } from '../app/exchange.js';
import type { RecordStore } from '../app/record-store.js';
import type { SignedInPeople } from '../app/signed-in-people.js';
import { type ClientMetadata, clientProblem } from '../domain/check-client.js';
import { STAFF_CLIENT } from '../domain/consent.js';
import { LIFETIMES_S } from '../domain/lifetimes.js';
import { renderError } from './error-page.js';
import { askEveryTime } from './interaction-policy.js';
import { ProviderAdapter } from './provider-adapter.js';
import { requireResource, ResourceServers } from './resource-servers.js';
import { type AuthorizationKeys, SIGNING_ALGORITHM } from './signing-keys.js';
import { StaffTokenClaims } from './staff-token-claims.js';

export interface ProviderParts {
  readonly records: RecordStore;
  readonly people: SignedInPeople;
  readonly allowances: Allowances;
  readonly resources: ProtectedResources;
  readonly keys: AuthorizationKeys;
  readonly cookieKeys: readonly Buffer[];
  readonly issuer: string;
  readonly fetch: (url: string | URL, options?: RequestInit) => Promise<Response>;
}

/** The library's registered name of the last document version that it was built to. */
const CIMD_DRAFT = 'draft-02';
const ASYMMETRIC = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/** What is on, and how. Whatever the product has no use for is off: it cannot be attacked. */
export function providerConfiguration(parts: ProviderParts): Configuration {
  const { records, keys, issuer } = parts;
  const path = new URL(issuer).pathname;
  const claims = new StaffTokenClaims(parts.people);
  return {
    adapter: (model) => new ProviderAdapter(records, model),
    jwks: { keys: [keys.signing] },
    clients: [staffClient],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
    enabledJWA: algorithms,
    responseTypes: ['code'],
    scopes: [],
    claims: {},
    pkce: { required: () => true }, // S256 is all that the library knows (OAuth 2.1 §7.5)
    allowOmittingSingleRegisteredRedirectUri: false,
    cookies: {
      keys: [...parts.cookieKeys],
      long: { httpOnly: true, sameSite: 'lax', signed: true, path },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    features: featuresOf(parts),
    ttl: ttl,
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client, source) =>
      Promise.resolve(
        client.clientId !== STAFF_CLIENT && client.grantTypeAllowed('refresh_token') && 'scope' in source,
      ),
    expiresWithSession: () => Promise.resolve(false),
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId; // of this very request: a consent is never reused
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => Promise.resolve({ sub }) }),
    extraTokenClaims: (ctx, token) => claims.of(ctx, token),
    extraClientMetadata: { properties: ['software_id'], validator: refuseBadClient },
    interactions: { policy: askEveryTime(), url: (_ctx, { uid }) => `${path}/interaction/${uid}` },
    fetch: parts.fetch as Configuration['fetch'],
    renderError,
    routes: {
      registration: '/reg',
      token: '/token',
      revocation: '/token/revocation',
      jwks: '/jwks',
      authorization: '/auth',
    },
  };
}

const algorithms: Configuration['enabledJWA'] = {
  clientAuthSigningAlgValues: ASYMMETRIC,
  idTokenSigningAlgValues: [SIGNING_ALGORITHM],
  dPoPSigningAlgValues: TOKEN_ALGORITHMS, // those of the proofs that our resources know
};

const staffClient = {
  client_id: STAFF_CLIENT,
  client_name: 'Forecourt command line',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  redirect_uris: ['http://127.0.0.1/callback'], // any port (RFC 8252 §7.3)
} as const;

const ttl: Configuration['ttl'] = {
  AccessToken: LIFETIMES_S.accessToken,
  AuthorizationCode: LIFETIMES_S.authorizationCode,
  ClientCredentials: LIFETIMES_S.accessToken,
  Grant: LIFETIMES_S.consent,
  Interaction: LIFETIMES_S.interaction,
  RefreshToken: LIFETIMES_S.refreshToken,
  Session: LIFETIMES_S.session,
};

function featuresOf({ allowances, resources, keys }: ProviderParts): Configuration['features'] {
  const resourceServers = new ResourceServers(resources, String(keys.signing.kid));
  const off = { enabled: false };
  return {
    clientCredentials: { enabled: true },
    clientIdMetadataDocument: {
      enabled: true,
      ack: CIMD_DRAFT,
      // Without a context the library reads a client again for a page whose request was let in before.
      allowFetch: (ctx: KoaContextWithOIDC | undefined) =>
        ctx === undefined ? true : allowances.fetch(exchangeOf(ctx.req).network),
    },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: requireResource,
      useGrantedResource: () => Promise.resolve(true),
      getResourceServerInfo: (ctx, uri, client) => resourceServers.describe(ctx, uri, client),
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    devInteractions: off,
    // A client that proves a key gets tokens that count with that key alone (RFC 9449 §5); nobody has to. Proofs count once, in
    // the records that all processes share, so no nonce is asked for.
    dPoP: { enabled: true, allowReplay: false, requireNonce: () => false },
    pushedAuthorizationRequests: off,
    rpInitiatedLogout: off,
    userinfo: off,
  } as Configuration['features'];
}

/**
 * Called for every client that comes into being: registered, fetched or read back. The scopes that a client writes about itself
 * are dropped (RFC 7591 §2 leaves that to the server): what it may ask for follows from the resource, and clients register those
 * of a challenge, which the library does not know as scopes of its own.
 */
function refuseBadClient(
  _ctx: unknown,
  _key: string,
  _value: unknown,
  metadata: ClientMetadata & { scope?: unknown },
): void {
  delete metadata.scope;
  const problem = clientProblem(metadata);
  if (problem !== undefined) throw new errors.InvalidClientMetadata(problem);
}
