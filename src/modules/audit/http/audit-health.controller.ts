import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { AuditHealth } from '../app/audit-health.js';

@ApiTags('health')
@Controller('health')
@Access({
  kind: 'public',
  why: 'Probes of the platform that runs the service carry no credentials; the answers hold no tenant data.',
})
export class AuditHealthController {
  constructor(@Inject(AuditHealth) private readonly health: AuditHealth) {}

  @Get('audit')
  @AdminOperation({ name: 'health.audit', audit: 'none', retention: 'none' })
  @ApiOperation({
    summary: 'How far numbering of the audit trail is behind, and how far this clock is from the database',
  })
  async audit(): Promise<object> {
    const { status, sequencingLagSeconds, clock } = await this.health.report();
    return {
      status,
      sequencing_lag_seconds: sequencingLagSeconds,
      clock_offset_ms: clock?.offsetMs ?? null,
      clock_uncertainty_ms: clock?.uncertaintyMs ?? null,
    };
  }
}
