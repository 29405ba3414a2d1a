import { Body, Controller, Get, Headers, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { taggedWith, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ManagePrivacyRequests } from '../app/manage-privacy-requests.js';
import {
  PrivacyExtensionDto,
  PrivacyRefusalDto,
  PrivacyRequestDto,
  PrivacyRequestQuery,
  PrivacyVerificationDto,
} from './privacy-request.dto.js';
import { requestView, requestWithSubjectView } from './privacy-request-view.js';

const RETENTION = 'privacy_request';
const IF_MATCH = { name: 'If-Match', required: true, description: 'ETag of the request.' };

/** Persons who want to be forgotten, or to see what is kept of them. */
@ApiTags('privacy')
@ApiBearerAuth()
@Controller('admin/v1/privacy-requests')
@Access({ kind: 'key', roles: ['compliance'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class PrivacyRequestsController {
  constructor(@Inject(ManagePrivacyRequests) private readonly requests: ManagePrivacyRequests) {}

  @Post()
  @AdminOperation({ name: 'privacy.requests.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Note that a request came; the deadline counts from its receipt' })
  async create(
    @Body() dto: PrivacyRequestDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { kind, asked_by: askedBy, asked_reference: askedReference, received_at: receivedAt } = dto;
    const subject = { kind: dto.subject_kind, id: dto.subject_id };
    const received = { kind, subject, askedBy, askedReference };
    const at = receivedAt === undefined ? {} : { receivedAt: Date.parse(receivedAt) };
    const made = await this.requests.receive(organizationOf(request), { ...received, ...at }, originOf(request));
    return taggedWith(reply, made.version, requestView(made));
  }

  @Get()
  @AdminOperation({ name: 'privacy.requests.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List requests, newest first, without whom they are about' })
  async list(@Query() query: PrivacyRequestQuery, @Req() request: FastifyRequest): Promise<object> {
    const { state } = query;
    const page = { ...pageRequestOf(query), ...(state === undefined ? {} : { state }) };
    const found = await this.requests.list(organizationOf(request), page);
    return pageOf('requests', query, found, requestView, (last) => last.requestId);
  }

  @Get(':request_id')
  @AdminOperation({ name: 'privacy.requests.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a request, with whom it is about until it is forgotten; the ETag is its version' })
  async get(
    @Param('request_id') requestId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const found = await this.requests.get(organizationOf(request), requestId);
    return taggedWith(reply, found.request.version, requestWithSubjectView(found.request, found.subject));
  }

  @Post(':request_id/verify')
  @AdminOperation({ name: 'privacy.requests.verify', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Note that somebody made sure who asks' })
  @ApiHeader(IF_MATCH)
  async verify(
    @Param('request_id') requestId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { reference }: PrivacyVerificationDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const verified = { reference, expected: versionsNamed(ifMatch) };
    const after = await this.requests.verify(organizationOf(request), requestId, verified, originOf(request));
    return taggedWith(reply, after.version, requestView(after));
  }

  @Post(':request_id/extend')
  @AdminOperation({ name: 'privacy.requests.extend', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Take 45 days more to answer: once, within the first 45, after telling whoever asked why' })
  @ApiHeader(IF_MATCH)
  async extend(
    @Param('request_id') requestId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { reason, notice_reference: noticeReference }: PrivacyExtensionDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const asked = { reason, noticeReference, expected: versionsNamed(ifMatch) };
    const after = await this.requests.extend(organizationOf(request), requestId, asked, originOf(request));
    return taggedWith(reply, after.version, requestView(after));
  }

  @Post(':request_id/refuse')
  @AdminOperation({ name: 'privacy.requests.refuse', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'End a request without doing it, with a reason of the list' })
  @ApiHeader(IF_MATCH)
  async refuse(
    @Param('request_id') requestId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { reason }: PrivacyRefusalDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const refused = { refusal: reason, expected: versionsNamed(ifMatch) };
    const after = await this.requests.refuse(organizationOf(request), requestId, refused, originOf(request));
    return taggedWith(reply, after.version, requestView(after));
  }
}
