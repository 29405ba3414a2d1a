import { Logger } from '@nestjs/common';
import { Provider, type KoaContextWithOIDC } from 'oidc-provider';
import { Failure } from '../../../kernel/failure/failure.js';
import { GRANT_SCOPES } from '../../auth/index.js';
import { ADMIN_SCOPE } from '../domain/consent.js';
import type { ExchangeAudit } from './exchange-audit.js';
import { providerConfiguration, type ProviderParts } from './provider-configuration.js';

export interface ProviderSurroundings extends ProviderParts {
  readonly audit: ExchangeAudit;
}

const SCOPES = [...GRANT_SCOPES, ADMIN_SCOPE];
const logger = new Logger('AuthorizationServer');

/** The protocol library with our settings, and what we do before its answers leave. */
export function makeProvider(around: ProviderSurroundings): Provider {
  const provider = new Provider(around.issuer, providerConfiguration(around));
  // What it believes of a proxy was written by our edge, from the trusted-proxy setting and PUBLIC_URL.
  provider.proxy = true;
  const causes = new WeakMap<object, Error>();
  const noteCause = (ctx: KoaContextWithOIDC, error: Error): void => void causes.set(ctx.req, error);
  provider.on('authorization.error', noteCause);
  provider.on('server_error', noteCause);
  provider.use(beforeAnswers(around, causes) as Parameters<Provider['use']>[0]);
  return provider;
}

function beforeAnswers(around: ProviderSurroundings, causes: WeakMap<object, Error>) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const cause = causes.get(ctx.req);
    if (ctx.oidc.route === 'discovery') ctx.body = { ...(ctx.body as object), scopes_supported: SCOPES };
    if (ctx.oidc.route === 'jwks') ctx.body = around.keys.published; // with the key before the last rotation
    if (ctx.status >= 500) answerOutage(ctx, cause);
    try {
      await around.audit.record(ctx, cause);
    } catch (error) {
      ctx.remove('location');
      answerOutage(ctx, error);
      return;
    }
    if (ctx.oidc.entities.AuthorizationCode !== undefined && ctx.oidc.route === 'resume')
      await ctx.oidc.session?.destroy();
  };
}

/** Nothing was decided: the client may try again (RFC 6749 §4.1.2.1, §5.2 by analogy). */
function answerOutage(ctx: KoaContextWithOIDC, cause: unknown): void {
  const failure = cause instanceof Failure ? cause : undefined;
  if (failure === undefined) logger.error(cause);
  ctx.status = failure === undefined ? 500 : 503;
  if (failure !== undefined) ctx.set('retry-after', '2');
  ctx.body = { error: failure === undefined ? 'server_error' : 'temporarily_unavailable' };
}
