import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { CancelRun } from '../app/cancel-run.js';
import { DraftRun } from '../app/draft-run.js';
import { ReadRuns } from '../app/read-runs.js';
import { StartRun } from '../app/start-run.js';
import { runEntryView, runView } from './retention-run-views.js';
import { RetentionRunDto } from './retention-run.dto.js';

const RETENTION = 'deletion_record';

/** Deletion by the retention policy: previewed, approved by two for exactly that preview, carried out in the background. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/runs')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class RetentionRunsController {
  constructor(
    @Inject(DraftRun) private readonly drafting: DraftRun,
    @Inject(StartRun) private readonly starting: StartRun,
    @Inject(CancelRun) private readonly cancelling: CancelRun,
    @Inject(ReadRuns) private readonly runs: ReadRuns,
  ) {}

  @Post()
  @HttpCode(202)
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'retention.runs.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Ask for a preview of what is over; a dry run, which deletes nothing by itself' })
  async create(@Body() dto: RetentionRunDto, @Req() request: FastifyRequest): Promise<object> {
    const { reason, categories = null, beyond_brake: beyondBrake = null } = dto;
    const requested = { reason, categories, beyondBrake };
    return runEntryView(await this.drafting.run(organizationOf(request), requested, originOf(request)));
  }

  @Get()
  @AdminOperation({ name: 'retention.runs.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List runs, newest first' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const runs = await this.runs.list(organizationOf(request), pageRequestOf(query));
    return pageOf('runs', query, runs, runEntryView, (last) => last.runId);
  }

  @Get(':retention_run_id')
  @AdminOperation({ name: 'retention.runs.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show the preview of a run, how far it is, and what it took' })
  async get(@Param('retention_run_id') runId: string, @Req() request: FastifyRequest): Promise<object> {
    return runView(await this.runs.get(organizationOf(request), runId));
  }

  @Post(':retention_run_id/start')
  @HttpCode(202)
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: 'retention.runs.start', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Delete what was previewed; asks two people first, and is called again once they approved' })
  async start(@Param('retention_run_id') runId: string, @Req() request: FastifyRequest): Promise<object> {
    return runEntryView(await this.starting.run(organizationOf(request), runId, originOf(request)));
  }

  @Post(':retention_run_id/cancel')
  @HttpCode(200)
  @Access({ kind: 'key', roles: ['admin', 'compliance'] })
  @AdminOperation({ name: 'retention.runs.cancel', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'End a run that has not ended; what is gone stays recorded' })
  async cancel(@Param('retention_run_id') runId: string, @Req() request: FastifyRequest): Promise<object> {
    return runEntryView(await this.cancelling.run(organizationOf(request), runId, originOf(request)));
  }
}
