import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, AdminOperation } from '../http/access.js';
import { FIGURE_SOURCES, FIGURES_TYPE, type FigureSource, figuresText } from './figures.js';

@ApiTags('health')
@Controller('health')
@Access({
  kind: 'public',
  why: 'Probes of the platform that runs the service carry no credentials; the answers hold no tenant data.',
})
export class MetricsController {
  constructor(@Inject(FIGURE_SOURCES) private readonly sources: readonly FigureSource[]) {}

  @Get('metrics')
  @AdminOperation({ name: 'health.metrics', audit: 'none', retention: 'none' })
  @ApiOperation({ summary: 'Figures of this process for Prometheus; what is not known is left out' })
  @ApiProduces(FIGURES_TYPE)
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const figures = await Promise.all(this.sources.map((source) => source.figures()));
    await reply
      .header('content-type', FIGURES_TYPE)
      .header('cache-control', 'no-store')
      .send(figuresText(figures.flat()));
  }
}
