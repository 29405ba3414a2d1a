import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf, staffOf } from '../../../platform/http/staff-request.js';
import { DecideApproval, type RequestedDecision } from '../app/decide-approval.js';
import { ListApprovals } from '../app/list-approvals.js';
import { approvalView } from './approval-views.js';
import { ApprovalsQuery, ApproveDto, DenyDto } from './approval.dto.js';

const RETENTION = 'approval';

/** Actions that wait for people. Persons decide, and who they may be is a matter of the kind; keys never do. */
@ApiTags('approvals')
@ApiBearerAuth()
@Controller('admin/v1/approvals')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class ApprovalsController {
  constructor(
    @Inject(ListApprovals) private readonly approvals: ListApprovals,
    @Inject(DecideApproval) private readonly deciding: DecideApproval,
  ) {}

  @Get()
  @AdminOperation({ name: 'approvals.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List approvals, newest first' })
  async list(@Query() query: ApprovalsQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after: before, limit } = pageRequestOf(query);
    const { state } = query;
    const page = { limit, ...(before === undefined ? {} : { before }), ...(state === undefined ? {} : { state }) };
    const found = await this.approvals.list(organizationOf(request), page);
    return pageOf('approvals', query, found, approvalView, (last) => last.approval.approvalId);
  }

  @Get(':approval_id')
  @AdminOperation({ name: 'approvals.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show an approval with who decided what' })
  async get(@Param('approval_id') approvalId: string, @Req() request: FastifyRequest): Promise<object> {
    return approvalView(await this.approvals.get(organizationOf(request), approvalId));
  }

  @Post(':approval_id/approve')
  @HttpCode(200)
  @AdminOperation({
    name: 'approvals.approve',
    audit: 'change',
    change: 'step',
    retention: RETENTION,
  })
  @ApiOperation({ summary: 'Approve exactly this content, as a person who signed in moments ago' })
  approve(
    @Param('approval_id') approvalId: string,
    @Body() { content_hash: contentHash }: ApproveDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.decide(approvalId, { decision: 'approve', contentHash }, request);
  }

  @Post(':approval_id/deny')
  @HttpCode(200)
  @AdminOperation({
    name: 'approvals.deny',
    audit: 'change',
    change: 'step',
    retention: RETENTION,
  })
  @ApiOperation({ summary: 'Deny, for good, with a reason' })
  deny(
    @Param('approval_id') approvalId: string,
    @Body() { reason }: DenyDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.decide(approvalId, { decision: 'deny', reason }, request);
  }

  private async decide(approvalId: string, decision: RequestedDecision, request: FastifyRequest): Promise<object> {
    return approvalView(await this.deciding.run(staffOf(request), approvalId, decision, originOf(request)));
  }
}
