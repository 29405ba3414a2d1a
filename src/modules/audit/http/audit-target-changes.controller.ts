import {
  Body,
  Controller,
  Headers,
  Inject,
  Param,
  Patch,
  Post,
  Req,
  Res,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { taggedWith, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ChangeAuditTarget, type TargetToChange } from '../app/outside/change-audit-target.js';
import { ChangeAuditTargetDto } from './audit-target.dto.js';
import { healthView } from './audit-target-view.js';
import { RotateSecretDto } from './rotate-secret.dto.js';

const RETENTION = 'audit_export';
const IF_MATCH = { name: 'If-Match', required: true, description: 'ETag of the target as it was shown.' };

/** What is changed of a target that stays: conditional, so that two persons do not overwrite each other. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit/targets/:target_id')
@Access({ kind: 'key', roles: ['admin', 'compliance'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class AuditTargetChangesController {
  constructor(@Inject(ChangeAuditTarget) private readonly changing: ChangeAuditTarget) {}

  @Patch()
  @AdminOperation({ name: 'audit_targets.change', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Send to another address, or count the days of another zone' })
  @ApiHeader(IF_MATCH)
  async change(
    @Param('target_id') targetId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { address, time_zone: timeZone }: ChangeAuditTargetDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const change = { ...(address === undefined ? {} : { address }), ...(timeZone === undefined ? {} : { timeZone }) };
    const target = await this.changing.change(named(request, targetId, ifMatch), change);
    return taggedWith(reply, target.version, healthView(target));
  }

  @Post('rotate-secret')
  @AdminOperation({ name: 'audit_targets.rotate_secret', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({
    summary: 'Sign for a webhook with another secret, shown once; with the one before as well for a stated time',
  })
  @ApiHeader(IF_MATCH)
  async rotateSecret(
    @Param('target_id') targetId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { overlap_seconds: overlap }: RotateSecretDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { target, secret } = await this.changing.rotateSecret(named(request, targetId, ifMatch), overlap);
    return taggedWith(reply, target.version, { ...healthView(target), secret });
  }
}

const named = (request: FastifyRequest, targetId: string, ifMatch: string | undefined): TargetToChange => ({
  organizationId: organizationOf(request),
  targetId,
  expected: versionsNamed(ifMatch),
  origin: originOf(request),
});
