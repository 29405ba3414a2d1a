import { Controller, Get, Inject, Param, ParseIntPipe, Query, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { Failure } from '../../../kernel/failure/failure.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { staffOf } from '../../../platform/http/staff-request.js';
import { AuditKeys } from '../app/audit-keys.js';
import { logOrigin } from '../app/log-names.js';
import { LogProofs } from '../app/log-proofs.js';

const RETENTION = 'audit_event';
const SIZE_MAX = Number.MAX_SAFE_INTEGER;

/** Two sizes of the log. */
export class ConsistencyQuery {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'Size of the state that was kept.' })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(SIZE_MAX)
  from!: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Size of the newer state.' })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(SIZE_MAX)
  to!: number;
}

const wholeNumber = new ParseIntPipe({
  exceptionFactory: () => new Failure('resource.not_found', { reason: 'not_found' }),
});

/** What somebody who kept states of the log outside checks them with. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class LogProofsController {
  constructor(
    @Inject(LogProofs) private readonly proofs: LogProofs,
    @Inject(AuditKeys) private readonly keys: AuditKeys,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('consistency')
  @AdminOperation({ name: 'audit.consistency', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Prove that the log of one size begins with the log of another' })
  async consistency(@Query() { from, to }: ConsistencyQuery, @Req() request: FastifyRequest): Promise<object> {
    const { consistencyPath } = await this.proofs.consistency(staffOf(request).organizationId, from, to);
    return { from, to, consistency_path: consistencyPath };
  }

  @Get('checkpoints/:size')
  @AdminOperation({ name: 'audit.checkpoint_of_size', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'The signed checkpoint of one size' })
  async checkpoint(@Param('size', wholeNumber) size: number, @Req() request: FastifyRequest): Promise<object> {
    return { checkpoint: await this.proofs.checkpointOf(staffOf(request).organizationId, size) };
  }

  @Get('keys')
  @AdminOperation({ name: 'audit.keys', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'The public keys that sign, or signed, checkpoints of this log' })
  listKeys(@Req() request: FastifyRequest): object {
    const origin = logOrigin(this.settings.GATEWAY_ID, staffOf(request).organizationId);
    const keys = this.keys.list(origin).map(({ keyId, state, verifierKey, publicKey }) => ({
      key_id: keyId,
      state,
      verifier_key: verifierKey,
      public_key: publicKey,
    }));
    return { origin, keys };
  }
}
