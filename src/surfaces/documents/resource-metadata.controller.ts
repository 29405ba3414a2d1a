import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Options, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../platform/http/access.js';
import { PUBLIC_URL } from '../../platform/http/public-url.js';
import type { FastifyReply, FastifyRequest } from '../../platform/http/request-context.js';
import { DescribeResource, type ResourceDescription } from '../../modules/auth/index.js';
import { answeredByTag } from './conditional-answer.js';
import { DocumentLimitGuard } from './document-limit.guard.js';

const ROOT = '/.well-known/oauth-protected-resource';
const DEFAULT_RESOURCE = '/mcp';
const PATHS = [
  ROOT,
  `${ROOT}/mcp`,
  `${ROOT}/mcp/underscore`,
  `${ROOT}/organizations/:organization_id/mcp`,
  `${ROOT}/organizations/:organization_id/mcp/underscore`,
  `${ROOT}/admin`,
];

/** Where a client learns which authorization servers to ask for a token, and for what (RFC 9728). */
@ApiTags('documents')
@Controller()
@Access({ kind: 'public', why: 'Protected resource metadata is read before there is a credential (RFC 9728).' })
export class ResourceMetadataController {
  constructor(
    @Inject(DescribeResource) private readonly describe: DescribeResource,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
  ) {}

  /** The root form stands for the endpoint of the default organization, as MCP clients ask for it last. */
  @Get(PATHS)
  @UseGuards(DocumentLimitGuard)
  @AdminOperation({ name: 'documents.resource_metadata', audit: 'none', retention: 'none' })
  @ApiOperation({ summary: 'Metadata of a protected resource: its authorization servers and scopes' })
  async metadata(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = (request.url.split('?', 1)[0] ?? '').slice(ROOT.length);
    const description = await this.describe.run(this.publicUrl + (path === '' ? DEFAULT_RESOURCE : path));
    if (description === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    const body = JSON.stringify(metadataOf(description));
    const tag = createHash('sha256').update(body).digest('base64url');
    reply.header('access-control-allow-origin', '*');
    if (!(await answeredByTag(request, reply, tag, 'application/json; charset=utf-8'))) await reply.send(body);
  }

  /** Clients in browsers say which revision they speak, so their browser asks first. */
  @Options(PATHS)
  @ApiExcludeEndpoint()
  @AdminOperation({ name: 'documents.resource_metadata_preflight', audit: 'none', retention: 'none' })
  async preflight(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', 'GET, HEAD')
      .header('access-control-allow-headers', 'MCP-Protocol-Version, Accept, Content-Type')
      .header('access-control-max-age', '600')
      .send();
  }
}

/** Members without a value are left out (RFC 9728 §3.2). */
function metadataOf({ uri, issuers, scopes, dpop, dpopAlgorithms }: ResourceDescription): object {
  return {
    resource: uri,
    ...(issuers.length === 0 ? {} : { authorization_servers: issuers }),
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    ...(dpop === 'none' ? {} : { dpop_signing_alg_values_supported: dpopAlgorithms }),
    ...(dpop === 'all' ? { dpop_bound_access_tokens_required: true } : {}),
  };
}
