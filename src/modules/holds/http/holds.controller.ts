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
import { CLOCK, type Clock } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { PlaceHold } from '../app/place-hold.js';
import { ReadHolds } from '../app/read-holds.js';
import { ReleaseHold } from '../app/release-hold.js';
import { heldRecordView, holdView } from './hold-views.js';
import { HeldRecordQuery, HeldRecordsQuery, HoldDto, HoldReasonDto, requestedHoldOf } from './hold.dto.js';

const RETENTION = 'legal_hold';

/** Legal holds. What an answer says is held is deleted by no path, whoever asks (decision record 0043). */
@ApiTags('holds')
@ApiBearerAuth()
@Controller('admin/v1/holds')
@Access({ kind: 'key', roles: ['compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class HoldsController {
  constructor(
    @Inject(ReadHolds) private readonly holds: ReadHolds,
    @Inject(PlaceHold) private readonly placing: PlaceHold,
    @Inject(ReleaseHold) private readonly releasing: ReleaseHold,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @AdminOperation({ name: 'holds.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List legal holds, newest first' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after: before, limit } = pageRequestOf(query);
    const page = before === undefined ? { limit } : { before, limit };
    const found = await this.holds.list(organizationOf(request), page);
    const now = this.clock.now();
    return pageOf(
      'holds',
      query,
      found,
      (hold) => holdView(hold, now),
      (last) => last.holdId,
    );
  }

  @Post()
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'holds.place', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Place a legal hold: from `held_since` on, nothing that it covers is deleted' })
  async place(@Body() dto: HoldDto, @Req() request: FastifyRequest): Promise<object> {
    const placed = await this.placing.run(organizationOf(request), requestedHoldOf(dto), originOf(request));
    return holdView(placed, this.clock.now());
  }

  @Get('on-record')
  @AdminOperation({ name: 'holds.on_record', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show which holds bind a record' })
  async onRecord(@Query() query: HeldRecordQuery, @Req() request: FastifyRequest): Promise<object> {
    const record = { category: query.category, recordId: query.record_id };
    const found = await this.holds.onRecord(organizationOf(request), record);
    const now = this.clock.now();
    return { holds: found.map((hold) => holdView(hold, now)) };
  }

  @Get(':hold_id')
  @AdminOperation({ name: 'holds.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a hold; `covered` and `root` once it is counted' })
  async get(@Param('hold_id') holdId: string, @Req() request: FastifyRequest): Promise<object> {
    return holdView(await this.holds.get(organizationOf(request), holdId), this.clock.now());
  }

  @Get(':hold_id/records')
  @AdminOperation({ name: 'holds.records', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List the records that it covered when it was counted, in the order of its tree' })
  async records(
    @Param('hold_id') holdId: string,
    @Query() { after, limit: pages = 1 }: HeldRecordsQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const from = after === undefined ? 0 : Number(after);
    const { records, next } = await this.holds.records(organizationOf(request), holdId, { from, pages });
    return { records: records.map(heldRecordView), next_after: next };
  }

  @Get(':hold_id/coverage')
  @AdminOperation({ name: 'holds.coverage', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Count what it covers now, and what of its list is not covered any more' })
  async coverage(@Param('hold_id') holdId: string, @Req() request: FastifyRequest): Promise<object> {
    const { coveredNow, missing } = await this.holds.coverageNow(organizationOf(request), holdId);
    return { hold_id: holdId, covered_now: coveredNow, missing };
  }

  @Post(':hold_id/release')
  @HttpCode(200)
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'holds.release', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Release a hold; asks a second person first, and is called again once they approved' })
  async release(
    @Param('hold_id') holdId: string,
    @Body() { reason }: HoldReasonDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const released = await this.releasing.run(organizationOf(request), holdId, reason, originOf(request));
    return holdView(released, this.clock.now());
  }
}
