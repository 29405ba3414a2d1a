import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { rfc3339 } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ManageStandingApprovals, type StandingNow } from '../app/manage-standing-approvals.js';
import { StandingApprovalDto } from './standing-approval.dto.js';

const RETENTION = 'deletion_record';
const NAME = 'retention.standing_approvals';

/** What the daily sweep may delete without asking again: small runs of one policy version, for a while. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/standing-approvals')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class StandingApprovalsController {
  constructor(@Inject(ManageStandingApprovals) private readonly standings: ManageStandingApprovals) {}

  @Post()
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: `${NAME}.create`, audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Draft a standing approval under the policy in force; nothing is swept under it yet' })
  async create(@Body() dto: StandingApprovalDto, @Req() request: FastifyRequest): Promise<object> {
    const { categories, record_cap: recordCap, days, reason } = dto;
    const requested = { categories, recordCap, days, reason };
    return standingView(await this.standings.draft(organizationOf(request), requested, originOf(request)));
  }

  @Get()
  @AdminOperation({ name: `${NAME}.list`, audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List standing approvals, newest first, those that ended included' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.standings.list(organizationOf(request), pageRequestOf(query));
    return pageOf('standing_approvals', query, found, standingView, ({ standing }) => standing.standingId);
  }

  @Get(':standing_approval_id')
  @AdminOperation({ name: `${NAME}.get`, audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a standing approval, and whether it stands' })
  async get(@Param('standing_approval_id') standingId: string, @Req() request: FastifyRequest): Promise<object> {
    return standingView(await this.standings.get(organizationOf(request), standingId));
  }

  @Post(':standing_approval_id/activate')
  @HttpCode(200)
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: `${NAME}.activate`, audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Put it in force; asks two people first, and is called again once they approved' })
  async activate(@Param('standing_approval_id') standingId: string, @Req() request: FastifyRequest): Promise<object> {
    return standingView(await this.standings.activate(organizationOf(request), standingId, originOf(request)));
  }

  @Post(':standing_approval_id/revoke')
  @HttpCode(200)
  @Access({ kind: 'key', roles: ['admin', 'compliance'] })
  @AdminOperation({ name: `${NAME}.revoke`, audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'End it at once; a run under it stops at its next batch' })
  async revoke(@Param('standing_approval_id') standingId: string, @Req() request: FastifyRequest): Promise<object> {
    return standingView(await this.standings.revoke(organizationOf(request), standingId, originOf(request)));
  }
}

function standingView({ standing, state }: StandingNow): object {
  const { policy, approval, revoked, requester } = standing;
  return {
    standing_approval_id: standing.standingId,
    state,
    policy: { policy_id: policy.policyId, version: policy.version, content_hash: policy.contentHash },
    categories: standing.categories,
    record_cap: standing.recordCap,
    reason: standing.reason,
    requested_by: { kind: requester.actorKind, id: requester.actor },
    requested_at: rfc3339(standing.requestedAt),
    expires_at: rfc3339(standing.expiresAt),
    content_hash: standing.contentHash,
    approval:
      approval === undefined
        ? null
        : {
            approval_id: approval.approvalId,
            approvers: approval.approvers,
            approved_at: rfc3339(approval.approvedAt),
          },
    revoked_at: revoked === undefined ? null : rfc3339(revoked.at),
    revoked_by: revoked?.by ?? null,
  };
}
