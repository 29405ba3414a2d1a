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
import { rfc3339 } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ManageNoticeTargets } from '../app/manage-notice-targets.js';
import type { StoredNoticeTarget } from '../app/notice-target-store.js';
import type { NoticeTarget } from '../domain/notice-target.js';
import { NoticeTargetDto } from './notice-target.dto.js';

const RETENTION = 'legal_hold';

/** Where the organization has notices of holds sent. */
@ApiTags('holds')
@ApiBearerAuth()
@Controller('admin/v1/hold-notice-targets')
@Access({ kind: 'key', roles: ['admin', 'compliance'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class NoticeTargetsController {
  constructor(@Inject(ManageNoticeTargets) private readonly targets: ManageNoticeTargets) {}

  @Post()
  @AdminOperation({ name: 'holds.notice_targets.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Have notices of holds, or escalations, sent to a webhook or a mail address' })
  async create(@Body() dto: NoticeTargetDto, @Req() request: FastifyRequest): Promise<object> {
    const { kind, address, purpose = 'notices', person_id: personId = null } = dto;
    const named = { kind, address, purpose, personId };
    const { target, secret } = await this.targets.create(organizationOf(request), named, originOf(request));
    return { ...targetView(target), ...(secret === undefined ? {} : { secret }) };
  }

  @Get()
  @Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
  @AdminOperation({ name: 'holds.notice_targets.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List targets by id, revoked ones included, with how delivery goes' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.targets.list(organizationOf(request), pageRequestOf(query));
    return pageOf('targets', query, found, healthView, (target) => target.targetId);
  }

  @Post(':notice_target_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'holds.notice_targets.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'Send nothing to a target any more, also of what is waiting' })
  async revoke(@Param('notice_target_id') targetId: string, @Req() request: FastifyRequest): Promise<object> {
    await this.targets.revoke(organizationOf(request), targetId, originOf(request));
    return { target_id: targetId, revoked: true };
  }
}

function targetView({ targetId, kind, address, purpose, personId, createdAt, revokedAt }: NoticeTarget): object {
  const times = { created_at: rfc3339(createdAt), revoked_at: revokedAt === null ? null : rfc3339(revokedAt) };
  return { target_id: targetId, kind, address, purpose, person_id: personId, ...times };
}

function healthView(target: StoredNoticeTarget): object {
  const { failures, problem, deliveredAt } = target;
  const delivered = deliveredAt === null ? null : rfc3339(deliveredAt);
  return { ...targetView(target), delivery: { failures, problem, delivered_at: delivered } };
}
