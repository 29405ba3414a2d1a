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
import { ManageAuditStreams } from '../app/streams/manage-audit-streams.js';
import { AuditStreamDto, StreamReplayDto } from './audit-stream.dto.js';
import { healthView, replayView, streamView } from './audit-stream-view.js';

const RETENTION = 'audit_export';

/** Where the trail is sent on. Streams hold whole records, so they are the auditors'. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit/streams')
@Access({ kind: 'key', roles: ['auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class AuditStreamsController {
  constructor(@Inject(ManageAuditStreams) private readonly streams: ManageAuditStreams) {}

  @Post()
  @AdminOperation({ name: 'audit.streams.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Send the trail on to a system of yours; the secret is shown once' })
  async create(@Body() dto: AuditStreamDto, @Req() request: FastifyRequest): Promise<object> {
    const wanted = { name: dto.name, url: dto.url, format: dto.format ?? 'records', fromSeq: dto.from_seq ?? 0 };
    const { stream, secret } = await this.streams.create(organizationOf(request), wanted, originOf(request));
    return { ...streamView(stream), secret };
  }

  @Get()
  @AdminOperation({ name: 'audit.streams.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List streams, newest first' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.streams.list(organizationOf(request), pageRequestOf(query));
    return pageOf('streams', query, found, streamView, (last) => last.streamId);
  }

  @Get(':stream_id')
  @AdminOperation({ name: 'audit.streams.get', audit: 'read', retention: RETENTION })
  @ApiOperation({
    summary: 'How deliveries go: last problem, next attempt, rows behind, replays; the ETag is its version',
  })
  async get(
    @Param('stream_id') streamId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const health = await this.streams.health(organizationOf(request), streamId);
    return taggedWith(reply, health.stream.version, healthView(health));
  }

  @Post(':stream_id/pause')
  @HttpCode(200)
  @AdminOperation({ name: 'audit.streams.pause', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Deliver nothing until it is resumed' })
  async pause(@Param('stream_id') streamId: string, @Req() request: FastifyRequest): Promise<object> {
    return streamView(await this.streams.pause(organizationOf(request), streamId, originOf(request)));
  }

  @Post(':stream_id/resume')
  @HttpCode(200)
  @AdminOperation({ name: 'audit.streams.resume', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Go on from the row where it was paused or stopped' })
  async resume(@Param('stream_id') streamId: string, @Req() request: FastifyRequest): Promise<object> {
    return streamView(await this.streams.resume(organizationOf(request), streamId, originOf(request)));
  }

  @Post(':stream_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'audit.streams.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'End a stream for good' })
  async revoke(@Param('stream_id') streamId: string, @Req() request: FastifyRequest): Promise<object> {
    return streamView(await this.streams.revoke(organizationOf(request), streamId, originOf(request)));
  }

  @Post(':stream_id/replays')
  @AdminOperation({ name: 'audit.streams.replay', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Send a stretch of the log once more' })
  async replay(
    @Param('stream_id') streamId: string,
    @Body() dto: StreamReplayDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const rows = { from: dto.from_seq, to: dto.to_seq };
    return replayView(await this.streams.replay(organizationOf(request), streamId, rows, originOf(request)));
  }
}
