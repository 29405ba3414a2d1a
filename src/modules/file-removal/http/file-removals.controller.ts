import { Controller, Get, Inject, Req, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { ShowFileRemovals } from '../app/show-file-removals.js';

/** Whether the files of records that are gone are gone, too. */
@ApiTags('retention')
@ApiBearerAuth()
@Controller('admin/v1/retention/files')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
export class FileRemovalsController {
  constructor(@Inject(ShowFileRemovals) private readonly removals: ShowFileRemovals) {}

  @Get()
  @AdminOperation({ name: 'retention.show_files', audit: 'read', retention: 'deletion_record' })
  @ApiOperation({ summary: 'Show how many files of deleted records were removed, wait, and fail' })
  async status(@Req() request: FastifyRequest): Promise<object> {
    const status = await this.removals.run(organizationOf(request));
    const { waiting, removed, kept, failing, problem, waitingSince } = status;
    return {
      ...{ waiting, removed, kept, failing, problem },
      waiting_since: waitingSince === null ? null : new Date(waitingSince).toISOString(),
    };
  }
}
