import { Controller, Get, Inject, Query, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { ExplainRecord } from '../app/explain-record.js';
import { explanationView } from './explanation-view.js';
import { ExplainQuery } from './retention-policy.dto.js';

/** Why one record stays or goes. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/explain')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class ExplainController {
  constructor(@Inject(ExplainRecord) private readonly explaining: ExplainRecord) {}

  @Get()
  @AdminOperation({ name: 'retention.explain', audit: 'read', retention: 'audit_event' })
  @ApiOperation({
    summary: 'Explain a record: its clocks, rooftops and holds, every rule that applies, what happens and when',
  })
  async explain(@Query() { category, record_id }: ExplainQuery, @Req() request: FastifyRequest): Promise<object> {
    return explanationView(await this.explaining.run(organizationOf(request), category, record_id));
  }
}
