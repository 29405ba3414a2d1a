import { Body, Controller, Get, Headers, Inject, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { taggedWith, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ActivateRetentionPolicy } from '../app/activate-retention-policy.js';
import { ReadRetentionPolicies } from '../app/read-retention-policies.js';
import { WriteRetentionDraft } from '../app/write-retention-draft.js';
import { NewRetentionDraftDto, RetentionDraftDto } from './retention-policy.dto.js';
import { draftEntryView, draftView, versionView } from './retention-views.js';
import { startingDocument } from './starting-document.js';

const RETENTION = 'policy_version';
const IF_MATCH = { name: 'If-Match', required: true, description: 'ETag of the draft.' };

/** Retention policies that are being written. Nothing is kept or deleted by a draft. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/policies/drafts')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class RetentionDraftsController {
  constructor(
    @Inject(ReadRetentionPolicies) private readonly policies: ReadRetentionPolicies,
    @Inject(WriteRetentionDraft) private readonly writing: WriteRetentionDraft,
    @Inject(ActivateRetentionPolicy) private readonly activating: ActivateRetentionPolicy,
  ) {}

  @Get()
  @AdminOperation({ name: 'retention.list_drafts', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List drafts, newest first, without their documents' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after: before, limit } = pageRequestOf(query);
    const page = before === undefined ? { limit } : { before, limit };
    const drafts = await this.policies.drafts(organizationOf(request), page);
    return pageOf('drafts', query, drafts, draftEntryView, (last) => last.draftId);
  }

  @Post()
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'retention.create_draft', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Draft a retention policy: the whole document, or a starting profile; with a reason' })
  async create(
    @Body() body: NewRetentionDraftDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const drafted = {
      policyId: body.policy_id,
      name: body.name,
      document: startingDocument(body),
      reason: body.reason,
    };
    const draft = await this.writing.create(organizationOf(request), drafted, originOf(request));
    return taggedWith(reply, draft.revision, draftView(draft));
  }

  @Get(':retention_draft_id')
  @AdminOperation({ name: 'retention.get_draft', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a draft, and for what activation would refuse it; the ETag is its revision' })
  async draft(
    @Param('retention_draft_id') draftId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { draft, violations } = await this.policies.draft(organizationOf(request), draftId);
    return taggedWith(reply, draft.revision, draftView(draft, violations));
  }

  @Put(':retention_draft_id')
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'retention.replace_draft', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Replace a draft, all of it; it is then written against the version that is active now' })
  @ApiHeader(IF_MATCH)
  async replace(
    @Param('retention_draft_id') draftId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: RetentionDraftDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { policy_id: policyId, name, document, reason } = body;
    const drafted = { policyId, name, document, reason, expectedRevisions: versionsNamed(ifMatch) };
    const draft = await this.writing.replace(organizationOf(request), draftId, drafted, originOf(request));
    return taggedWith(reply, draft.revision, draftView(draft));
  }

  @Get(':retention_draft_id/diff')
  @AdminOperation({ name: 'retention.compare_draft', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show which rules a draft would change of the active policy' })
  async diff(@Param('retention_draft_id') draftId: string, @Req() request: FastifyRequest): Promise<object> {
    return { differences: await this.policies.draftDifferences(organizationOf(request), draftId) };
  }

  @Post(':retention_draft_id/activate')
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'retention.activate', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({
    summary: 'Make a draft the active policy; asks two persons first, and is called again once they approved',
  })
  @ApiHeader(IF_MATCH)
  async activate(
    @Param('retention_draft_id') draftId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const expected = versionsNamed(ifMatch);
    const version = await this.activating.run(organizationOf(request), draftId, expected, originOf(request));
    return taggedWith(reply, version.version, versionView(version));
  }
}
