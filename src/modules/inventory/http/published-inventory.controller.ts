import { Body, Controller, Get, HttpCode, Inject, Param, Post, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CLOCK, parseRfc3339, type Clock } from '../../../kernel/time.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { ApplyUnitEvent } from '../app/apply-unit-event.js';
import { TraceValue } from '../app/trace-value.js';
import { originView, overviewView } from './feed-views.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { originOf } from './staff-request.js';
import { UnitEventDto } from './unit-event.dto.js';

const RETENTION = 'superseded_snapshot';

/** What is published: changes to single units, where values come from, and how old all of it is. */
@ApiTags('inventory')
@ApiBearerAuth()
@Controller('admin/v1')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class PublishedInventoryController {
  constructor(
    @Inject(ApplyUnitEvent) private readonly applying: ApplyUnitEvent,
    @Inject(TraceValue) private readonly tracing: TraceValue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post('unit-events')
  @HttpCode(200)
  @AdminOperation({ name: 'unit_events.apply', audit: 'change', change: 'creation', retention: 'unit_event' })
  @ApiOperation({ summary: 'Say that a unit was sold, removed or repriced' })
  async apply(@Body() dto: UnitEventDto, @Req() request: FastifyRequest): Promise<object> {
    const sourceTime = parseRfc3339(dto.source_time);
    if (sourceTime === undefined)
      throw new Failure('input.invalid', {
        violations: [{ pointer: '/source_time', keyword: 'format', explanation: 'must be a date-time with offset' }],
      });
    const { event_id: eventId, rooftop_id: rooftopId, vin, kind, price } = dto;
    const event = {
      eventId,
      rooftopId,
      vin,
      kind,
      sourceTime,
      ...(price === undefined ? {} : { price: { amount_minor: price.amount_minor, currency: price.currency } }),
    };
    const answer = await this.applying.run(organizationOf(request), event, originOf(request));
    return { event_id: answer.eventId, effect: answer.effect };
  }

  @Get('vehicles/:vehicle_id/source')
  @AdminOperation({ name: 'vehicles.trace', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Name the file, line and columns that a published vehicle was read from' })
  async trace(@Param('vehicle_id') vehicleId: string, @Req() request: FastifyRequest): Promise<object> {
    return originView(await this.tracing.run(organizationOf(request), vehicleId));
  }

  @Get('inventory')
  @AdminOperation({ name: 'inventory.overview', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show what each rooftop serves, from which run, and how old it is' })
  async overview(@Req() request: FastifyRequest): Promise<object> {
    return overviewView(await this.tracing.overview(organizationOf(request)), this.clock.now());
  }
}
