import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { entityTagOf, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { PublishPolicy } from '../app/publish-policy.js';
import { ReadPolicies } from '../app/read-policies.js';
import { currentView, versionEntryView, versionView } from './policy-views.js';
import { PolicyDifferenceQuery, PolicyReasonDto } from './policy.dto.js';

const RETENTION = 'policy_version';

/** What an organization shows, withholds and asks of its feeds: what is in force, and what ever was. */
@ApiTags('policies')
@ApiBearerAuth()
@Controller('admin/v1/policies')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class PoliciesController {
  constructor(
    @Inject(ReadPolicies) private readonly policies: ReadPolicies,
    @Inject(PublishPolicy) private readonly publishing: PublishPolicy,
  ) {}

  @Get('current')
  @AdminOperation({ name: 'policies.get_current', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show the policy in force; the ETag is its version, if one was ever published' })
  async current(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const current = await this.policies.current(organizationOf(request));
    if (current.number > 0) reply.header('etag', entityTagOf(current.number));
    return currentView(current);
  }

  @Get('versions')
  @AdminOperation({ name: 'policies.list_versions', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List versions, newest first: who wrote and approved them, when and why' })
  async versions(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after, limit } = pageRequestOf(query);
    const page = after === undefined ? { limit } : { before: Number(after), limit };
    const versions = await this.policies.versions(organizationOf(request), page);
    return pageOf('versions', query, versions, versionEntryView, (last) => last.version);
  }

  @Get('versions/:version')
  @AdminOperation({ name: 'policies.get_version', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a version' })
  async version(@Param('version') version: string, @Req() request: FastifyRequest): Promise<object> {
    return versionView(await this.policies.version(organizationOf(request), numberOf(version)));
  }

  @Get('versions/:version/diff')
  @AdminOperation({ name: 'policies.compare_versions', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show what a version changed of another one' })
  async diff(
    @Param('version') version: string,
    @Query() { against }: PolicyDifferenceQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const number = numberOf(version);
    const before = against ?? number - 1;
    return { differences: await this.policies.versionDifferences(organizationOf(request), number, before) };
  }

  @Post('versions/:version/republish')
  @Access({ kind: 'key', roles: ['admin'] })
  @AdminOperation({ name: 'policies.republish', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Put an older version in force again, as a new version; asks a second person first' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the policy in force.' })
  async republish(
    @Param('version') version: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { reason }: PolicyReasonDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const requested = { reason, expectedVersions: versionsNamed(ifMatch) };
    const number = numberOf(version);
    const published = await this.publishing.republish(organizationOf(request), number, requested, originOf(request));
    reply.header('etag', entityTagOf(published.version));
    return versionView(published);
  }
}

/** @throws Failure `resource.not_found` for what no version is called. */
function numberOf(version: string): number {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new Failure('resource.not_found', { reason: 'not_found' });
  return Number(version);
}
