import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, AdminOperation } from '../http/access.js';
import { Readiness } from './readiness.js';

@ApiTags('health')
@Controller('health')
@Access({
  kind: 'public',
  why: 'Probes of the platform that runs the service carry no credentials; the answers hold no tenant data.',
})
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  @Get('live')
  @AdminOperation({ name: 'health.live', audit: 'none', retention: 'none' })
  @ApiOperation({ summary: 'The process runs' })
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  @Get('ready')
  @AdminOperation({ name: 'health.ready', audit: 'none', retention: 'none' })
  @ApiOperation({ summary: 'The process can answer: the database is reachable and it is not draining' })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.readiness.report();
    await reply.code(report.status === 'ready' ? 200 : 503).send(report);
  }
}
