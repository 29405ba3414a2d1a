import { Controller, Get, Inject, Req, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DATABASE_PRESENCE, type DatabasePresence } from '../../../kernel/ports/database-presence.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { AccessSnapshots } from '../app/access-snapshots.js';

/** What the process that answers knows by heart of the caller's organization. */
@ApiTags('status')
@ApiBearerAuth()
@Controller('admin/v1/status')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
export class StatusController {
  constructor(
    @Inject(AccessSnapshots) private readonly snapshots: AccessSnapshots,
    @Inject(DATABASE_PRESENCE) private readonly presence: DatabasePresence,
  ) {}

  @Get()
  @AdminOperation({ name: 'status.read', audit: 'read', retention: 'audit_event' })
  @ApiOperation({ summary: 'Version and age of the access snapshot in force at the process that answers' })
  read(@Req() request: FastifyRequest): object {
    const organizationId = organizationOf(request);
    const held = this.snapshots.status().find((one) => one.organizationId === organizationId);
    return {
      organization_id: organizationId,
      database: this.presence.away ? 'away' : 'there',
      access_snapshot:
        held === undefined
          ? null
          : {
              version: held.version,
              checksum: `sha256:${held.checksum}`,
              age_ms: Math.round(held.ageMs),
              outdated: held.outdated,
            },
    };
  }
}
