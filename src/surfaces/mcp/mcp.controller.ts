import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { newRequestId } from '../../kernel/ids.js';
import { Access } from '../../platform/http/access.js';
import type { OriginPolicy } from '../../platform/http/origin-policy.js';
import { ORIGIN_POLICY } from '../../platform/http/origin-policy.js';
import { contextOf, linkTrace } from '../../platform/http/request-context.js';
import { AnomalyEdge } from '../../platform/limits/anomaly-edge.js';
import { rateLimitFields } from '../../platform/limits/rate-limit-fields.js';
import type { DealerDirectory } from '../../modules/tenancy/index.js';
import { DEALER_DIRECTORY } from '../../modules/tenancy/index.js';
import { McpCallers, type CalledEndpoint } from './mcp-callers.js';
import { McpChallenges } from './mcp-challenges.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { namesOfPath } from './tool-names.js';

/** `POST /organizations/{organization_id}/mcp`, and `/mcp` for the default organization; `/underscore` behind either names tools
 * without dots. Everything else is 405. */
@ApiExcludeController()
@Controller()
@Access({ kind: 'surface', surface: 'mcp' })
export class McpController {
  constructor(
    @Inject(McpEndpoint) private readonly endpoint: McpEndpoint,
    @Inject(DEALER_DIRECTORY) private readonly directory: DealerDirectory,
    @Inject(ORIGIN_POLICY) private readonly origins: OriginPolicy,
    @Inject(McpCallers) private readonly callers: McpCallers,
    @Inject(AnomalyEdge) private readonly anomalies: AnomalyEdge,
    @Inject(McpChallenges) private readonly challenges: McpChallenges,
  ) {}

  @All(['organizations/:organization_id/mcp', 'organizations/:organization_id/mcp/underscore'])
  async ofOrganization(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (this.answersOtherMethod(request, reply)) return;
    const { organization_id: named } = request.params as { organization_id: string };
    const existing = async (): Promise<string | undefined> => (await this.directory.find(named))?.organizationId;
    const endpoint = { path: pathOf(request, `/organizations/${named}`), organizationId: named, existing };
    await this.challenging(endpoint, request, reply, async () => {
      const caller = await this.callers.of(request, endpoint);
      await this.callers.refuseOutsideGrant(request, caller, named);
      const organizationId = await existing();
      if (organizationId === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      await this.answer(organizationId, caller, request, reply);
    });
  }

  @All(['mcp', 'mcp/underscore'])
  async ofDefault(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (this.answersOtherMethod(request, reply)) return;
    const organizationId = await this.directory.defaultOrganizationId();
    const existing = (): Promise<string | undefined> => Promise.resolve(organizationId);
    const endpoint = { path: pathOf(request, ''), organizationId, existing };
    await this.challenging(endpoint, request, reply, async () => {
      const caller = await this.callers.of(request, endpoint);
      if (organizationId === undefined) throw new Failure('feature.not_configured');
      await this.callers.refuseOutsideGrant(request, caller, organizationId);
      await this.answer(organizationId, caller, request, reply);
    });
  }

  /** Adds to a refusal of the caller what it needs to come back with a better credential (RFC 9728 §5). */
  private async challenging(
    { path }: CalledEndpoint,
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      const challenge = await this.challenges.of(request, path, error);
      if (challenge !== undefined) reply.header('www-authenticate', challenge);
      throw error;
    }
  }

  /** Preflights of browsers, and 405 for everything that is not POST: there are no sessions and no GET stream. */
  private answersOtherMethod(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.method === 'POST') return false;
    if (request.method === 'OPTIONS') this.origins.answerPreflight(request, reply, 'POST, OPTIONS');
    else reply.code(405).header('allow', 'POST, OPTIONS').send();
    return true;
  }

  private async answer(
    organizationId: string,
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    if (caller.kind === 'agent') this.anomalies.proved(request);
    const { requestId, traceId } = contextOf(request);
    const answer = await this.endpoint.answer({
      body: request.body,
      headers: request.headers,
      caller,
      organizationId,
      names: namesOfPath(request.url),
      requestId,
      traceId,
      newRequestId,
      linked: (trace) => linkTrace(request, trace),
      rated: (verdict) => void reply.headers(rateLimitFields(verdict)),
      closed: () => abortedOnClose(reply),
    });
    reply.code(answer.status);
    if (answer.headers !== undefined) reply.headers(answer.headers);
    if (answer.stream !== undefined) reply.send(answer.stream);
    else if (answer.body === undefined) reply.send();
    else reply.header('content-type', 'application/json; charset=utf-8').send(answer.body);
  }
}

/** The path of an endpoint as its resource has it: without a query or a final slash. */
const pathOf = (request: FastifyRequest, prefix: string): string =>
  `${prefix}/mcp${namesOfPath(request.url) === 'underscore' ? '/underscore' : ''}`;

/** Closing the connection cancels what is being streamed to it (MCP cancellation, modern era). */
function abortedOnClose(reply: FastifyReply): AbortSignal {
  const aborter = new AbortController();
  if (reply.raw.destroyed) aborter.abort();
  else reply.raw.once('close', () => aborter.abort());
  return aborter.signal;
}
