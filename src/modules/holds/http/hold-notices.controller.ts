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
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf, staffOf } from '../../../platform/http/staff-request.js';
import { HoldNotices } from '../app/hold-notices.js';
import type { NoticePage } from '../app/notice-store.js';
import { noticeView, sentNoticeView } from './hold-views.js';
import { HoldNoticeDto } from './hold.dto.js';

const RETENTION = 'legal_hold';

/** Notices of holds: compliance sends them, each person reads and acknowledges their own. */
@ApiTags('holds')
@ApiBearerAuth()
@Controller('admin/v1')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class HoldNoticesController {
  constructor(@Inject(HoldNotices) private readonly notices: HoldNotices) {}

  @Get('holds/:hold_id/notices')
  @Access({ kind: 'key', roles: ['compliance', 'auditor'] })
  @AdminOperation({ name: 'holds.notices.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List the notices of a hold, newest first, who acknowledged, and how their messages fare' })
  async ofHold(
    @Param('hold_id') holdId: string,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const found = await this.notices.ofHold(organizationOf(request), holdId, noticePageOf(query));
    return pageOf('notices', query, found, sentNoticeView, ({ notice }) => notice.noticeId);
  }

  @Post('holds/:hold_id/notices')
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'holds.notices.send', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Tell persons what they must keep; they are reminded until they acknowledge' })
  async send(
    @Param('hold_id') holdId: string,
    @Body() { person_ids: personIds, message, escalate_to: escalateTo }: HoldNoticeDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const requested = { personIds, message, escalateTo: escalateTo ?? null };
    const sent = await this.notices.send(organizationOf(request), holdId, requested, originOf(request));
    return { notices: sent.map(noticeView) };
  }

  @Get('hold-notices')
  @AdminOperation({ name: 'holds.notices.own', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List the notices for the person who asks, newest first' })
  async own(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.notices.ofCaller(staffOf(request), noticePageOf(query));
    return pageOf('notices', query, found, noticeView, (last) => last.noticeId);
  }

  @Post('hold-notices/:notice_id/acknowledge')
  @HttpCode(200)
  @AdminOperation({ name: 'holds.notices.acknowledge', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Say that one has read a notice, as the person whom it is for' })
  async acknowledge(@Param('notice_id') noticeId: string, @Req() request: FastifyRequest): Promise<object> {
    return noticeView(await this.notices.acknowledge(staffOf(request), noticeId, originOf(request)));
  }
}

function noticePageOf(query: PageQuery): NoticePage {
  const { after: before, limit } = pageRequestOf(query);
  return before === undefined ? { limit } : { before, limit };
}
