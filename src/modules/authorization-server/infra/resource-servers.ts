import { errors, type Client, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider';
import type { ProtectedResource, ProtectedResources } from '../../../kernel/ports/protected-resources.js';
import { scopesOf, STAFF_CLIENT } from '../domain/consent.js';
import { LIFETIMES_S } from '../domain/lifetimes.js';
import { SIGNING_ALGORITHM } from './signing-keys.js';

/** A token is for one resource and says so (RFC 8707): without one there is none. */
export function requireResource(_ctx: KoaContextWithOIDC, _client: Client, oneOf?: string[]): never {
  throw new errors.InvalidTarget(oneOf === undefined ? 'resource is required' : 'name one resource');
}

/** What the protocol library is told of the resource that a client named. */
export class ResourceServers {
  constructor(
    private readonly resources: ProtectedResources,
    private readonly keyId: string,
  ) {}

  /** @throws InvalidTarget for a resource that is not there, or not for this client. */
  async describe(ctx: KoaContextWithOIDC, uri: string, client: Client): Promise<ResourceServer> {
    const { params } = ctx.oidc;
    if (Array.isArray(params?.['resource']) && params['resource'].length !== 1)
      throw new errors.InvalidTarget('name one resource');
    const resource = await this.resources.find(uri);
    if (resource === undefined || !mayAsk(client, resource)) throw new errors.InvalidTarget();
    const known = scopesOf(resource);
    // A consent page without anything to consent to helps nobody; a token without scopes opens nothing.
    if (params?.['response_type'] !== undefined && !asks(params['scope'], known))
      throw new errors.InvalidScope('name a scope of the resource', '');
    return {
      audience: uri,
      scope: known.join(' '),
      accessTokenTTL: LIFETIMES_S.accessToken,
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: SIGNING_ALGORITHM, kid: this.keyId } },
    };
  }
}

/** Tokens of staff go to the service's own client alone: whoever registers by itself is nobody that staff should trust so far. */
function mayAsk(client: Client, resource: ProtectedResource): boolean {
  return (resource.kind === 'admin') === (client.clientId === STAFF_CLIENT);
}

const asks = (scope: unknown, known: readonly string[]): boolean =>
  typeof scope === 'string' && scope.split(' ').some((name) => known.includes(name));
