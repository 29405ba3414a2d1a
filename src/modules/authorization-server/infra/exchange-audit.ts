import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { ProtectedResources } from '../../../kernel/ports/protected-resources.js';
import type { AuthorizationAudit, AuthorizationEvent } from '../app/authorization-audit.js';
import { exchangeOf } from '../app/exchange.js';
import type { RecordStore } from '../app/record-store.js';
import type { SignedInPeople } from '../app/signed-in-people.js';
import { clientLifetimeMs } from '../domain/lifetimes.js';

/** Routes whose every answer is audited. */
const OPERATIONS: Readonly<Record<string, string>> = {
  token: 'oauth.token',
  registration: 'oauth.register',
  revocation: 'oauth.revoke',
};

export interface ExchangeAuditParts {
  readonly audit: AuthorizationAudit;
  readonly records: RecordStore;
  readonly people: SignedInPeople;
  readonly resources: ProtectedResources;
}

/** Audits what the protocol endpoints answer, before they answer it. */
export class ExchangeAudit {
  constructor(private readonly parts: ExchangeAuditParts) {}

  async record(ctx: KoaContextWithOIDC, cause: Error | undefined): Promise<void> {
    const event = await this.eventOf(ctx, cause);
    if (event === undefined) return;
    const client = ctx.oidc.entities.Client?.clientId ?? null;
    if (event.operation === 'oauth.token' && event.refusal === undefined && client !== null)
      await this.parts.records.touch('Client', client, clientLifetimeMs.used);
    await this.parts.audit.record(exchangeOf(ctx.req), { ...event, client });
  }

  private async eventOf(ctx: KoaContextWithOIDC, cause: Error | undefined): Promise<AuthorizationEvent | undefined> {
    const operation = OPERATIONS[ctx.oidc.route];
    if (operation === undefined) return authorizationRefusal(cause);
    const refusal = ctx.status < 400 ? undefined : codeOf(ctx.body);
    if (operation !== 'oauth.token' || refusal !== undefined) return { operation, refusal };
    return { operation, ...(await this.holderOf(ctx)) };
  }

  /** Who got a token, and in which organization's trail that belongs. */
  private async holderOf(ctx: KoaContextWithOIDC): Promise<Omit<AuthorizationEvent, 'operation'>> {
    const { AccessToken: token, ClientCredentials: own, Account: account } = ctx.oidc.entities;
    const audience = String((token ?? own)?.aud);
    const resourceIds = [...((token ?? own)?.scopes ?? [])];
    const organizationId = (await this.parts.resources.find(audience))?.organizationId;
    if (account === undefined) return { actorKind: 'agent', actor: own?.clientId ?? null, organizationId, resourceIds };
    const person = organizationId === undefined ? await this.parts.people.find(account.accountId) : undefined;
    return {
      actorKind: 'person',
      actor: account.accountId,
      organizationId: organizationId ?? person?.organizationId,
      resourceIds,
    };
  }
}

/** Requests that are refused before anybody signs in. That a person refused was recorded when they did. */
function authorizationRefusal(cause: Error | undefined): AuthorizationEvent | undefined {
  if (!(cause instanceof errors.OIDCProviderError) || cause.error === 'access_denied') return undefined;
  return { operation: 'oauth.authorize', refusal: cause.error };
}

/** An error code of OAuth: the library's own words, from a closed list. */
function codeOf(body: unknown): string {
  const { error } = (body ?? {}) as { error?: unknown };
  return typeof error === 'string' ? error : 'unnamed';
}
