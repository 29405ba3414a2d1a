import { Controller, Get, Inject, Query, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { rfc3339 } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { WithheldReport } from '../app/withheld-report.js';
import type { WithheldUnit } from '../app/withheld-units.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { WithheldPageQuery } from './withheld-page.dto.js';

/** What is in the files and not offered, and why: a unit without a price cannot be represented over DAP. */
@ApiTags('inventory')
@ApiBearerAuth()
@Controller('admin/v1/inventory/withheld')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class WithheldInventoryController {
  constructor(@Inject(WithheldReport) private readonly report: WithheldReport) {}

  @Get()
  @AdminOperation({ name: 'inventory.list_withheld', audit: 'read', retention: 'superseded_snapshot' })
  @ApiOperation({ summary: 'List units that are kept back, with the reason' })
  async list(@Query() query: WithheldPageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { rooftop_id: rooftopId, reason } = query;
    const page = {
      ...pageRequestOf(query),
      ...(rooftopId === undefined ? {} : { rooftopId }),
      ...(reason === undefined ? {} : { reason }),
    };
    const units = await this.report.list(organizationOf(request), page);
    return pageOf('units', query, units, unitView, (unit) => unit.vehicleId);
  }
}

function unitView({ rooftopId, vehicleId, vin, stockNumber, reason, observedAt }: WithheldUnit): object {
  return {
    rooftop_id: rooftopId,
    vehicle_id: vehicleId,
    vin,
    stock_number: stockNumber,
    reason,
    observed_at: rfc3339(observedAt),
  };
}
