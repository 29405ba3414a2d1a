/** What of a client's metadata (RFC 7591 §2) our own rules look at. Anybody may have written it. */
export interface ClientMetadata {
  readonly redirect_uris?: unknown;
  readonly client_name?: unknown;
  readonly grant_types?: unknown;
  readonly token_endpoint_auth_method?: unknown;
  readonly jwks?: unknown;
  readonly jwks_uri?: unknown;
}

const REDIRECTS_MOST = 10;
const REDIRECT_CHARACTERS = 512;
const NAME_CHARACTERS = 100;
const KEYS_MOST = 10;
/** Controls, line separators and what turns the direction of text: a name on the consent page reads as it is. */

const UNSAFE_IN_NAME = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Our own rules for clients, beside those of the protocol library: nobody who registers can make a code travel in clear, a page
 * lie, or a program without a key act for itself.
 * @returns what is wrong, beginning with the member's name; nothing of the values is in it.
 */
export function clientProblem(metadata: ClientMetadata): string | undefined {
  return (
    redirectsProblem(metadata.redirect_uris) ??
    nameProblem(metadata.client_name) ??
    publicProgramProblem(metadata) ??
    keysProblem(metadata.jwks, metadata.jwks_uri)
  );
}

function redirectsProblem(uris: unknown): string | undefined {
  if (uris === undefined) return undefined;
  if (!Array.isArray(uris) || uris.length > REDIRECTS_MOST) return `redirect_uris must be at most ${REDIRECTS_MOST}`;
  return uris.every(isSafeRedirect)
    ? undefined
    : 'redirect_uris must be https, http on a loopback address, or of a private scheme, without user information or fragment';
}

function isSafeRedirect(uri: unknown): boolean {
  if (typeof uri !== 'string' || uri.length > REDIRECT_CHARACTERS || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '' || uri.includes('#')) return false;
  return protocol !== 'http:' || LOOPBACK.has(hostname);
}

function nameProblem(name: unknown): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && name.length <= NAME_CHARACTERS && !UNSAFE_IN_NAME.test(name)) return undefined;
  return `client_name must be plain text of at most ${NAME_CHARACTERS} characters`;
}

/** Client credentials without a credential would be a token for whoever knows a client id. */
function publicProgramProblem({
  grant_types: grants,
  token_endpoint_auth_method: method,
}: ClientMetadata): string | undefined {
  const actsForItself = Array.isArray(grants) && grants.includes('client_credentials');
  return actsForItself && method === 'none'
    ? 'token_endpoint_auth_method must authenticate a client with the grant type client_credentials'
    : undefined;
}

function keysProblem(jwks: unknown, jwksUri: unknown): string | undefined {
  const keys = (jwks as { keys?: unknown } | null | undefined)?.keys;
  if (Array.isArray(keys) && keys.length > KEYS_MOST) return `jwks must hold at most ${KEYS_MOST} keys`;
  if (jwksUri === undefined) return undefined;
  return typeof jwksUri === 'string' && URL.canParse(jwksUri) && new URL(jwksUri).protocol === 'https:'
    ? undefined
    : 'jwks_uri must be https';
}
