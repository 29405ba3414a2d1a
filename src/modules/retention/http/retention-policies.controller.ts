import { Controller, Get, Inject, Param, Query, Req, Res, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { taggedWith } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { ReadRetentionPolicies } from '../app/read-retention-policies.js';
import { RetentionDifferenceQuery } from './retention-policy.dto.js';
import { versionEntryView, versionView } from './retention-views.js';

const RETENTION = 'policy_version';

/** How long what is stored stays: the version that is active, and those that ever were. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/policies')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class RetentionPoliciesController {
  constructor(@Inject(ReadRetentionPolicies) private readonly policies: ReadRetentionPolicies) {}

  @Get('active')
  @AdminOperation({ name: 'retention.get_active_policy', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show the active retention policy; while there is none, nothing may be deleted' })
  async active(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const active = await this.policies.active(organizationOf(request));
    return taggedWith(reply, active.version, versionView(active));
  }

  @Get('versions')
  @AdminOperation({ name: 'retention.list_versions', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List versions, newest first: who wrote and approved them, when and why' })
  async versions(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after, limit } = pageRequestOf(query);
    const page = after === undefined ? { limit } : { before: Number(after), limit };
    const versions = await this.policies.versions(organizationOf(request), page);
    return pageOf('versions', query, versions, versionEntryView, (last) => last.version);
  }

  @Get('versions/:version')
  @AdminOperation({ name: 'retention.get_version', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a version' })
  async version(@Param('version') version: string, @Req() request: FastifyRequest): Promise<object> {
    return versionView(await this.policies.version(organizationOf(request), numberOf(version)));
  }

  @Get('versions/:version/diff')
  @AdminOperation({ name: 'retention.compare_versions', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show which rules a version has otherwise than another one' })
  async diff(
    @Param('version') version: string,
    @Query() { against }: RetentionDifferenceQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const number = numberOf(version);
    const differences = await this.policies.differences(organizationOf(request), number, against ?? number - 1);
    return { differences };
  }
}

/** @throws Failure `resource.not_found` for what no version is called. */
function numberOf(version: string): number {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw new Failure('resource.not_found', { reason: 'not_found' });
  return Number(version);
}
