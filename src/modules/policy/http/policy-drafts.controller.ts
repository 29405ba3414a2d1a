import { Body, Controller, Get, Headers, Inject, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { entityTagOf, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { PublishPolicy } from '../app/publish-policy.js';
import { ReadPolicies } from '../app/read-policies.js';
import { WritePolicyDraft } from '../app/write-policy-draft.js';
import { draftEntryView, draftView, versionView } from './policy-views.js';
import { PolicyDraftDto } from './policy.dto.js';

const RETENTION = 'policy_version';
const IF_MATCH = { name: 'If-Match', required: true, description: 'ETag of the draft.' };

/** Policies that are being written. Nothing that is served follows a draft. */
@ApiTags('policies')
@ApiBearerAuth()
@Controller('admin/v1/policies/drafts')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class PolicyDraftsController {
  constructor(
    @Inject(ReadPolicies) private readonly policies: ReadPolicies,
    @Inject(WritePolicyDraft) private readonly writing: WritePolicyDraft,
    @Inject(PublishPolicy) private readonly publishing: PublishPolicy,
  ) {}

  @Get()
  @AdminOperation({ name: 'policies.list_drafts', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List drafts, newest first, without their documents' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after: before, limit } = pageRequestOf(query);
    const page = before === undefined ? { limit } : { before, limit };
    const drafts = await this.policies.drafts(organizationOf(request), page);
    return pageOf('drafts', query, drafts, draftEntryView, (last) => last.draftId);
  }

  @Post()
  @Access({ kind: 'key', roles: ['admin'] })
  @AdminOperation({ name: 'policies.create_draft', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Draft a policy: the whole document, with a reason' })
  async create(
    @Body() drafted: PolicyDraftDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const draft = await this.writing.create(organizationOf(request), drafted, originOf(request));
    reply.header('etag', entityTagOf(draft.revision));
    return draftView(draft);
  }

  @Get(':draft_id')
  @AdminOperation({ name: 'policies.get_draft', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a draft; the ETag is its revision' })
  async draft(
    @Param('draft_id') draftId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const draft = await this.policies.draft(organizationOf(request), draftId);
    reply.header('etag', entityTagOf(draft.revision));
    return draftView(draft);
  }

  @Put(':draft_id')
  @Access({ kind: 'key', roles: ['admin'] })
  @AdminOperation({ name: 'policies.replace_draft', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Replace a draft, all of it; it is then written against the version in force now' })
  @ApiHeader(IF_MATCH)
  async replace(
    @Param('draft_id') draftId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { document, reason }: PolicyDraftDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const drafted = { document, reason, expectedRevisions: versionsNamed(ifMatch) };
    const draft = await this.writing.replace(organizationOf(request), draftId, drafted, originOf(request));
    reply.header('etag', entityTagOf(draft.revision));
    return draftView(draft);
  }

  @Get(':draft_id/diff')
  @AdminOperation({ name: 'policies.compare_draft', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show what a draft would change of the policy in force' })
  async diff(@Param('draft_id') draftId: string, @Req() request: FastifyRequest): Promise<object> {
    return { differences: await this.policies.draftDifferences(organizationOf(request), draftId) };
  }

  @Post(':draft_id/publish')
  @Access({ kind: 'key', roles: ['admin'] })
  @AdminOperation({ name: 'policies.publish', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Put a draft in force; asks a second person first, and is called again once they approved' })
  @ApiHeader(IF_MATCH)
  async publish(
    @Param('draft_id') draftId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const expected = versionsNamed(ifMatch);
    const version = await this.publishing.publishDraft(organizationOf(request), draftId, expected, originOf(request));
    reply.header('etag', entityTagOf(version.version));
    return versionView(version);
  }
}
