import { Controller, Get, Inject, Query, Req, Res, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsRFC3339 } from 'class-validator';
import { rfc3339 } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { AdminAudit } from '../../../platform/http/admin-audit.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery } from '../../../platform/http/page-query.js';
import { contextOf, type FastifyReply, type FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { ReviewAccess } from '../app/review-access.js';
import { positionOf } from '../domain/access-fact.js';
import { reviewCsv, reviewEntryView } from './access-review-views.js';

const RETENTION = 'access_history';

export class ReviewQuery extends PageQuery {
  @ApiProperty({ format: 'date-time', description: 'The moment that is asked about, with offset.' })
  @IsRFC3339()
  at!: string;
}

export class ReviewCsvQuery {
  @ApiProperty({ format: 'date-time', description: 'The moment that is asked about, with offset.' })
  @IsRFC3339()
  at!: string;
}

/** Who could reach what on a date. */
@ApiTags('access')
@ApiBearerAuth()
@Controller('admin/v1/access-review')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UsePipes(adminValidationPipe())
export class AccessReviewController {
  constructor(
    @Inject(ReviewAccess) private readonly review: ReviewAccess,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  @Get()
  @UseInterceptors(EnvelopeInterceptor)
  @AdminOperation({ name: 'access_review.list', audit: 'read', retention: RETENTION })
  @ApiOperation({
    summary: 'List every key, grant, delegation, trusted issuer, agent client and person that counted at a moment',
  })
  async list(@Query() query: ReviewQuery, @Req() request: FastifyRequest): Promise<object> {
    const { at, organizationState, entries } = await this.review.run(organizationOf(request), Date.parse(query.at));
    const { after } = query;
    const found = after === undefined ? entries : entries.filter((fact) => positionOf(fact) > after);
    const page = pageOf('entries', query, found, reviewEntryView, positionOf);
    return { at: rfc3339(at), organization_state: organizationState ?? null, ...page };
  }

  @Get('csv')
  @AdminOperation({ name: 'access_review.export', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'The whole report of a moment as CSV' })
  async csv(
    @Query() { at }: ReviewCsvQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { entries } = await this.review.run(organizationOf(request), Date.parse(at));
    await this.audit.read(contextOf(request), 'access_review.export');
    reply.header('content-type', 'text/csv; charset=utf-8; header=present');
    reply.header('content-disposition', 'attachment; filename="access-review.csv"');
    await reply.send(reviewCsv(entries));
  }
}
