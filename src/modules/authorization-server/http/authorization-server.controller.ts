import { Controller, Get, Inject, Options, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EMBEDDED_ISSUER, type EmbeddedIssuer } from '../../../kernel/ports/embedded-issuer.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { ORIGIN_POLICY, type OriginPolicy } from '../../../platform/http/origin-policy.js';
import { networkOf } from '../../../platform/http/request-context.js';
import { Allowances } from '../app/allowances.js';
import { AUTHORIZATION_ENGINE, type AuthorizationEngine } from '../app/authorization-engine.js';
import { openExchange } from './open-exchange.js';

const READ = { audit: 'none', retention: 'none' } as const;
const AUDITED = { audit: 'change', retention: 'session' } as const;
/** RFC 8414 §3.1 puts the issuer's path behind the name; OpenID Connect Discovery puts the name behind the path; clients try all. */
const METADATA_PATHS = [
  '.well-known/oauth-authorization-server/oauth',
  '.well-known/openid-configuration/oauth',
  'oauth/.well-known/openid-configuration',
  'oauth/.well-known/oauth-authorization-server',
];

/** The protocol endpoints of the embedded authorization server. Those named here exist, and no others. */
@ApiExcludeController()
@Controller()
@Access({ kind: 'public', why: 'An authorization server authenticates clients and people itself (OAuth 2.1 §2, §3).' })
export class AuthorizationServerController {
  constructor(
    @Inject(AUTHORIZATION_ENGINE) private readonly engine: AuthorizationEngine,
    @Inject(EMBEDDED_ISSUER) private readonly embedded: EmbeddedIssuer,
    @Inject(Allowances) private readonly allowances: Allowances,
    @Inject(ORIGIN_POLICY) private readonly origins: OriginPolicy,
  ) {}

  @Get(METADATA_PATHS)
  @AdminOperation({ name: 'oauth.metadata', ...READ })
  metadata(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply, '/.well-known/openid-configuration');
  }

  @Get('oauth/jwks')
  @AdminOperation({ name: 'oauth.keys', ...READ })
  keys(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Get(['oauth/auth', 'oauth/auth/:uid'])
  @AdminOperation({ name: 'oauth.authorize', ...AUDITED })
  authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Post('oauth/token')
  @AdminOperation({ name: 'oauth.token', ...AUDITED })
  token(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Post('oauth/token/revocation')
  @AdminOperation({ name: 'oauth.revoke', ...AUDITED })
  revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.pass(request, reply);
  }

  @Post('oauth/reg')
  @AdminOperation({ name: 'oauth.register', ...AUDITED })
  async register(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.allowances.registration(networkOf(request));
    return this.pass(request, reply);
  }

  @Options([...METADATA_PATHS, 'oauth/jwks', 'oauth/token', 'oauth/token/revocation', 'oauth/reg'])
  @AdminOperation({ name: 'oauth.preflight', ...READ })
  preflight(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.origins.answerPreflight(request, reply, 'GET, POST, OPTIONS');
  }

  /** The library writes the answer itself. The edge has said already which origins may read it. */
  private async pass(request: FastifyRequest, reply: FastifyReply, path?: string): Promise<void> {
    await this.allowances.call(networkOf(request));
    const exchange = openExchange(request, reply, this.embedded.issuer, path);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) exchange.response.setHeader(name, value);
    if (!exchange.response.hasHeader('access-control-expose-headers'))
      exchange.response.setHeader('access-control-expose-headers', 'WWW-Authenticate'); // keeps the library from adding `*`
    await this.engine.handle(exchange);
  }
}
