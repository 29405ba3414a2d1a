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
  Res,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { taggedWith } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ManageAuditTargets } from '../app/outside/manage-audit-targets.js';
import { AuditTargetDto } from './audit-target.dto.js';
import { healthView, targetView } from './audit-target-view.js';

const RETENTION = 'audit_export';

/** Where the organization keeps states of its audit log outside: witnesses and daily statements. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit/targets')
@Access({ kind: 'key', roles: ['admin', 'compliance'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class AuditTargetsController {
  constructor(@Inject(ManageAuditTargets) private readonly targets: ManageAuditTargets) {}

  @Post()
  @AdminOperation({ name: 'audit_targets.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Send states of the audit log to a witness, a webhook or a mail address' })
  async create(@Body() dto: AuditTargetDto, @Req() request: FastifyRequest): Promise<object> {
    const { kind, address, witness_key: witnessKey = null, time_zone: timeZone = 'UTC' } = dto;
    const named = { kind, address, witnessKey, timeZone };
    const { target, secret } = await this.targets.create(organizationOf(request), named, originOf(request));
    return { ...targetView(target), ...(secret === undefined ? {} : { secret }) };
  }

  @Get()
  @AdminOperation({ name: 'audit_targets.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List targets by id, revoked ones included, with how delivery goes' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.targets.list(organizationOf(request), pageRequestOf(query));
    return pageOf('targets', query, found, healthView, (target) => target.targetId);
  }

  @Get(':target_id')
  @AdminOperation({ name: 'audit_targets.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a target and how delivery goes; the ETag is its version' })
  async get(
    @Param('target_id') targetId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const target = await this.targets.get(organizationOf(request), targetId);
    return taggedWith(reply, target.version, healthView(target));
  }

  @Post(':target_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'audit_targets.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'Send nothing to a target any more' })
  async revoke(@Param('target_id') targetId: string, @Req() request: FastifyRequest): Promise<object> {
    await this.targets.revoke(organizationOf(request), targetId, originOf(request));
    return { target_id: targetId, revoked: true };
  }
}
