import { Controller, Get, Inject, Param, Query, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { ReadDeletionRecords } from '../app/read-deletion-records.js';
import { provenView, recordEntryView } from './retention-run-views.js';

const RETENTION = 'deletion_record';

/** What was deleted, by which policy and approval. The answer for one record is the file that the offline check reads. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/deletion-records')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class DeletionRecordsController {
  constructor(@Inject(ReadDeletionRecords) private readonly records: ReadDeletionRecords) {}

  @Get()
  @AdminOperation({ name: 'retention.deletion_records.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List deletion records, newest first' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.records.list(organizationOf(request), pageRequestOf(query));
    return pageOf('deletion_records', query, found, recordEntryView, (last) => last.recordId);
  }

  @Get(':deletion_record_id')
  @AdminOperation({ name: 'retention.deletion_records.get', audit: 'read', retention: RETENTION })
  @ApiOperation({
    summary: 'Show a deletion record with the proof that it is in the log; save it for `forecourt audit check`',
  })
  async get(@Param('deletion_record_id') recordId: string, @Req() request: FastifyRequest): Promise<object> {
    return provenView(await this.records.get(organizationOf(request), recordId));
  }
}
