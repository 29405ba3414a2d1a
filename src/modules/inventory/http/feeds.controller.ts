import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { taggedWith, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { ChangeFeed } from '../app/change-feed.js';
import { CreateFeed } from '../app/create-feed.js';
import { FeedReports } from '../app/feed-reports.js';
import { ReceiveFeedFile } from '../app/receive-feed-file.js';
import { ChangeFeedDto } from './change-feed.dto.js';
import { CreateFeedDto } from './create-feed.dto.js';
import { feedView, runView } from './feed-views.js';
import { UploadQuery } from './page.dto.js';
import { requestedChange, requestedFeed } from './requested-feed.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { originOf } from './staff-request.js';

const RETENTION = 'feed_file';

/** Feeds of the key's organization, and files for them. */
@ApiTags('feeds')
@ApiBearerAuth()
@Controller('admin/v1/feeds')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class FeedsController {
  constructor(
    @Inject(CreateFeed) private readonly creating: CreateFeed,
    @Inject(ChangeFeed) private readonly changing: ChangeFeed,
    @Inject(FeedReports) private readonly reports: FeedReports,
    @Inject(ReceiveFeedFile) private readonly receiving: ReceiveFeedFile,
  ) {}

  @Post()
  @AdminOperation({ name: 'feeds.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Configure a source of inventory' })
  async create(@Body() dto: CreateFeedDto, @Req() request: FastifyRequest): Promise<object> {
    return feedView(await this.creating.run(organizationOf(request), requestedFeed(dto), originOf(request)));
  }

  @Get()
  @AdminOperation({ name: 'feeds.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List feeds' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const feeds = await this.reports.feeds(organizationOf(request), pageRequestOf(query));
    return pageOf('feeds', query, feeds, feedView, (feed) => feed.feedId);
  }

  @Get(':feed_id')
  @AdminOperation({ name: 'feeds.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a feed; the ETag is its version' })
  async get(
    @Param('feed_id') feedId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const feed = await this.reports.feed(organizationOf(request), feedId);
    return taggedWith(reply, feed.version, feedView(feed));
  }

  @Patch(':feed_id')
  @AdminOperation({ name: 'feeds.change', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Change how a feed is read and fetched, or switch it off and on' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the feed as it was shown.' })
  async change(
    @Param('feed_id') feedId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() dto: ChangeFeedDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const organizationId = organizationOf(request);
    const change = requestedChange(dto);
    const feed = await this.changing.run(organizationId, feedId, change, versionsNamed(ifMatch), originOf(request));
    return taggedWith(reply, feed.version, feedView(feed));
  }

  @Post(':feed_id/files')
  @HttpCode(202)
  @AdminOperation({ name: 'feeds.receive', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Upload a feed file; it is imported in the background' })
  @ApiConsumes(
    'text/csv',
    'text/tab-separated-values',
    'text/plain',
    'application/xml',
    'application/json',
    'application/octet-stream',
  )
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  async upload(
    @Param('feed_id') feedId: string,
    @Query() query: UploadQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const file = {
      feedId,
      name: query.name ?? 'upload',
      origin: 'upload' as const,
      force: query.force === 'true',
      chunks: request.body as AsyncIterable<Uint8Array>,
    };
    const receipt = await this.receiving.run({ organizationId: organizationOf(request), ...file }, originOf(request));
    return { outcome: receipt.outcome, run_id: receipt.runId, sha256: receipt.sha256, bytes: receipt.bytes };
  }

  @Get(':feed_id/runs')
  @AdminOperation({ name: 'feeds.list_runs', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List the runs of a feed, newest first' })
  async listRuns(
    @Param('feed_id') feedId: string,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const runs = await this.reports.runs(organizationOf(request), feedId, pageRequestOf(query));
    return pageOf('runs', query, runs, runView, (run) => run.runId);
  }
}
