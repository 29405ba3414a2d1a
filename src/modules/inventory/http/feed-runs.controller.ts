import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { FeedReports } from '../app/feed-reports.js';
import { ReleaseHeldRun } from '../app/release-held-run.js';
import { rowView, runView } from './feed-views.js';
import { RowPageQuery } from './page.dto.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { originOf } from './staff-request.js';

const RETENTION = 'inventory';

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
  @ApiOperation({ summary: 'Show a run with its report' })
  async get(@Param('run_id') runId: string, @Req() request: FastifyRequest): Promise<object> {
    return runView(await this.reports.run(organizationOf(request), runId));
  }

  @Get(':run_id/rows')
  @AdminOperation({ name: 'feed_runs.list_rows', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List the rows of a run that were not simply published' })
  async listRows(
    @Param('run_id') runId: string,
    @Query() query: RowPageQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const { disposition, after = 0, limit = 100 } = query;
    const page = disposition === undefined ? { after, limit } : { disposition, after, limit };
    const rows = await this.reports.rows(organizationOf(request), runId, page);
    return { rows: rows.map(rowView), next_after: rows.length < limit ? null : (rows.at(-1)?.ordinal ?? null) };
  }

  @Post(':run_id/release')
  @HttpCode(200)
  @AdminOperation({ name: 'feeds.release', audit: 'change', retention: RETENTION })
  @ApiOperation({ summary: 'Publish a held run although its guards spoke' })
  async release(@Param('run_id') runId: string, @Req() request: FastifyRequest): Promise<object> {
    return runView(await this.releasing.run(organizationOf(request), runId, originOf(request)));
  }
}
