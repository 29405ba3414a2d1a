import { Controller, Get, Inject, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EMBEDDED_ISSUER, type EmbeddedIssuer } from '../../../kernel/ports/embedded-issuer.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { networkOf } from '../../../platform/http/request-context.js';
import { Allowances } from '../app/allowances.js';
import { AuthorizePerson, type WaitingRequest } from '../app/authorize-person.js';
import type { Exchange } from '../app/exchange.js';
import { pageHeaders } from '../domain/page.js';
import { consentPage, signInPage } from './interaction-pages.js';
import { InteractionFailurePage } from './interaction-failure-page.js';
import { formOf } from './oauth-body.js';
import { openExchange } from './open-exchange.js';

const AUDITED = { audit: 'change', retention: 'session' } as const;

/** The pages for people: sign in, then allow or refuse. Plain forms; the browser's cookie says which request they belong to. */
@ApiExcludeController()
@Controller('oauth/interaction/:uid')
@UseFilters(InteractionFailurePage)
@Access({ kind: 'public', why: 'People sign in here; the cookie of the request that they were sent from is required.' })
export class InteractionsController {
  constructor(
    @Inject(AuthorizePerson) private readonly authorizing: AuthorizePerson,
    @Inject(EMBEDDED_ISSUER) private readonly embedded: EmbeddedIssuer,
    @Inject(Allowances) private readonly allowances: Allowances,
  ) {}

  @Get()
  @AdminOperation({ name: 'oauth.interaction', audit: 'none', retention: 'none' })
  async show(@Param('uid') uid: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const waiting = await this.authorizing.look(await this.open(request, reply), uid);
    const html = waiting.pending.step === 'login' ? signInPage : consentPage;
    this.send(reply, waiting, html(waiting, this.pathOf(uid), false));
  }

  @Post('sign-in')
  @AdminOperation({ name: 'oauth.sign_in', ...AUDITED })
  async signIn(@Param('uid') uid: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const exchange = await this.open(request, reply);
    const form = formOf(request);
    const field = (name: string): string => (form.get(name) ?? '').trim().slice(0, 128);
    const next = await this.authorizing.signIn(exchange, uid, field('person'), field('code'));
    if (next !== undefined) {
      goOn(reply, next);
      return;
    }
    const waiting = await this.authorizing.look(exchange, uid);
    this.send(reply.code(401), waiting, signInPage(waiting, this.pathOf(uid), true));
  }

  @Post('consent')
  @AdminOperation({ name: 'oauth.consent', ...AUDITED })
  async consent(@Param('uid') uid: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    goOn(reply, await this.authorizing.consent(await this.open(request, reply), uid));
  }

  @Post('refuse')
  @AdminOperation({ name: 'oauth.refuse', ...AUDITED })
  async refuse(@Param('uid') uid: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    goOn(reply, await this.authorizing.refuse(await this.open(request, reply), uid));
  }

  private async open(request: FastifyRequest, reply: FastifyReply): Promise<Exchange> {
    await this.allowances.call(networkOf(request));
    return openExchange(request, reply, this.embedded.issuer);
  }

  private pathOf(uid: string): string {
    return `${new URL(this.embedded.issuer).pathname}/interaction/${encodeURIComponent(uid)}`;
  }

  private send(reply: FastifyReply, { pending }: WaitingRequest, html: string): void {
    reply.headers(pageHeaders(pending.redirectUri)).send(html);
  }
}

function goOn(reply: FastifyReply, url: string): void {
  reply.code(303).headers({ location: url, 'cache-control': 'no-store' }).send();
}
