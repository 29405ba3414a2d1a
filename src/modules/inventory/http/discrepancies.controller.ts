import { Body, Controller, Get, Inject, Param, Post, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { rfc3339 } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { type OpenDiscrepancy, ReviewDiscrepancy } from '../app/review-discrepancy.js';
import { DiscrepancyReviewDto } from './discrepancy-review.dto.js';
import { originOf } from './staff-request.js';

const RETENTION = 'unit_event';

/** What the sources of a used vehicle disagree on, and that the dealer reviewed it. */
@ApiTags('inventory')
@ApiBearerAuth()
@Controller('admin/v1/rooftops/:rooftop_id/vehicles/:vehicle_id')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class DiscrepanciesController {
  constructor(@Inject(ReviewDiscrepancy) private readonly reviewing: ReviewDiscrepancy) {}

  @Get('discrepancies')
  @AdminOperation({ name: 'discrepancies.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List what the sources of a published vehicle disagree on, with the newest reviews' })
  async list(
    @Param('rooftop_id') rooftopId: string,
    @Param('vehicle_id') vehicleId: string,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const found = await this.reviewing.list(organizationOf(request), rooftopId, vehicleId);
    return { discrepancies: found.map(discrepancyView) };
  }

  @Post('discrepancy-reviews')
  @Access({ kind: 'key', roles: ['admin', 'compliance'] })
  @AdminOperation({ name: 'discrepancies.review', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Record that the dealer reviewed a disagreement, or take that back' })
  async review(
    @Param('rooftop_id') rooftopId: string,
    @Param('vehicle_id') vehicleId: string,
    @Body() { field, content_hash: contentHash, status, reason }: DiscrepancyReviewDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const requested = { rooftopId, vehicleId, field, contentHash, status, reason };
    return discrepancyView(await this.reviewing.run(organizationOf(request), requested, originOf(request)));
  }
}

function discrepancyView({ entry, contentHash, review }: OpenDiscrepancy): object {
  return {
    ...entry,
    content_hash: contentHash,
    review: review && {
      version: review.version,
      status: review.status,
      content_hash: review.contentHash,
      author: review.author,
      reason: review.reason,
      created_at: rfc3339(review.createdAt),
    },
  };
}
