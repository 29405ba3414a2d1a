import {
  Controller,
  Get,
  Headers,
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
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { taggedWith, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { versionOfRun } from '../app/feed-run.js';
import { FeedReports } from '../app/feed-reports.js';
import { ReleaseHeldRun } from '../app/release-held-run.js';
import { rowView, runView } from './feed-views.js';
import { RowPageQuery } from './page.dto.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { originOf } from './staff-request.js';

const RETENTION = 'feed_file';

/** What became of received files, row by row. */
@ApiTags('feeds')
@ApiBearerAuth()
@Controller('admin/v1/feed-runs')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class FeedRunsController {
  constructor(
    @Inject(FeedReports) private readonly reports: FeedReports,
    @Inject(ReleaseHeldRun) private readonly releasing: ReleaseHeldRun,
  ) {}

  @Get(':run_id')
  @AdminOperation({ name: 'feed_runs.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a run with its report; the ETag is where it stands' })
  async get(
    @Param('run_id') runId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const run = await this.reports.run(organizationOf(request), runId);
    return taggedWith(reply, versionOfRun(run), runView(run));
  }

  @Get(':run_id/rows')
  @AdminOperation({ name: 'feed_runs.list_rows', audit: 'read', retention: 'quarantined_row' })
  @ApiOperation({ summary: 'List the rows of a run that were not simply published' })
  async listRows(
    @Param('run_id') runId: string,
    @Query() query: RowPageQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const { disposition } = query;
    const { after = '0', limit } = pageRequestOf(query);
    const page = { ...(disposition === undefined ? {} : { disposition }), after: Number(after), limit };
    const rows = await this.reports.rows(organizationOf(request), runId, page);
    return pageOf('rows', query, rows, rowView, (row) => row.ordinal);
  }

  @Post(':run_id/release')
  @HttpCode(200)
  @AdminOperation({ name: 'feeds.release', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Publish a held run although its guards spoke' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the run as it was shown.' })
  async release(
    @Param('run_id') runId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const expected = versionsNamed(ifMatch);
    const run = await this.releasing.run(organizationOf(request), runId, expected, originOf(request));
    return taggedWith(reply, versionOfRun(run), runView(run));
  }
}
