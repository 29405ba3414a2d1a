import { Controller, Get, Inject, Param, Query, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { PAGE_MAX, pageOf, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { staffOf } from '../../../platform/http/staff-request.js';
import type { AuditFilter, AuditSearch } from '../app/audit-search.js';
import { AUDIT_SEARCH } from '../app/audit-search.js';
import { ProveRecord } from '../app/prove-record.js';
import { filterOf, periodOf } from './audit-filter.js';
import {
  AuditSearchQuery,
  positionOf,
  ReachedQuery,
  RECEIPT_DAYS,
  receiptPositionOf,
  ReceiptsQuery,
  type SumQuery,
  TouchedQuery,
} from './audit-search.dto.js';
import { bodyView, metadataView, proofView, receiptsView, summaryView, supportView } from './audit-views.js';

const RETENTION = 'audit_event';
const READERS = ['admin', 'compliance', 'auditor'] as const;
/** Calls that share a trace id: retries of one agent, perhaps. */
const SUPPORT_RECORDS = 20;
const DAY_MS = 86_400_000;

/** The organization's own trail, or the platform's for operators: auditors see whole records, the others what happened and how it ended. Each look is recorded. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit')
@Access({ kind: 'key', roles: [...READERS], of: 'either' })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class AuditController {
  constructor(
    @Inject(AUDIT_SEARCH) private readonly search: AuditSearch,
    @Inject(ProveRecord) private readonly proving: ProveRecord,
  ) {}

  @Get('records')
  @AdminOperation({ name: 'audit.search', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Search the audit trail, newest first' })
  async find(@Query() query: AuditSearchQuery, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, role } = staffOf(request);
    const { after, limit } = pageRequestOf(query);
    const page = after === undefined ? { limit } : { after: positionOf(after), limit };
    const records = await this.search.find(organizationId, filterOf(query, role), page);
    const view = role === 'auditor' ? bodyView : metadataView;
    return pageOf('records', query, records, view, (last) => `${last.recordedAt}~${last.eventId}`);
  }

  @Get('records/:event_id/proof')
  @Access({ kind: 'key', roles: ['auditor'], of: 'either' })
  @AdminOperation({ name: 'audit.prove', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Prove one record against the newest signed checkpoint' })
  async prove(@Param('event_id') eventId: string, @Req() request: FastifyRequest): Promise<object> {
    return proofView(await this.proving.run(staffOf(request).organizationId, eventId));
  }

  @Get('checkpoint')
  @AdminOperation({ name: 'audit.checkpoint', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'The newest signed checkpoint, to be kept outside' })
  async checkpoint(@Req() request: FastifyRequest): Promise<object> {
    return { checkpoint: await this.proving.newestCheckpoint(staffOf(request).organizationId) };
  }

  @Get('receipts')
  @AdminOperation({ name: 'audit.receipts', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'What agents asked of a rooftop, by day, tool and outcome' })
  async receipts(@Query() query: ReceiptsQuery, @Req() request: FastifyRequest): Promise<object> {
    const filter = { from: query.from, to: query.to, ...periodOf(query), rooftopId: query.rooftop_id };
    requireShort(filter);
    const { after, limit } = pageRequestOf(query);
    const page = after === undefined ? { limit } : { after: receiptPositionOf(after), limit };
    const counted = await this.search.receipts(staffOf(request).organizationId, filter, page);
    return { rooftop_id: query.rooftop_id, ...receiptsView(query, counted) };
  }

  @Get('touched')
  @Access({ kind: 'key', roles: ['auditor'], of: 'either' })
  @AdminOperation({ name: 'audit.touched', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Who touched a subject: an agent, a vehicle or another resource' })
  async touched(@Query() query: TouchedQuery, @Req() request: FastifyRequest): Promise<object> {
    return { subject: query.subject, ...(await this.sumUp(query, { subject: query.subject }, request)) };
  }

  @Get('reached')
  @Access({ kind: 'key', roles: ['auditor'], of: 'either' })
  @AdminOperation({ name: 'audit.reached', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'What an actor reached: rooftops, tools and resources' })
  async reached(@Query() query: ReachedQuery, @Req() request: FastifyRequest): Promise<object> {
    return { actor: query.actor, ...(await this.sumUp(query, { actor: query.actor }, request)) };
  }

  @Get('support/:trace_id')
  @AdminOperation({ name: 'audit.support', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'What became of a call, for whoever was told its trace id' })
  async support(@Param('trace_id') traceId: string, @Req() request: FastifyRequest): Promise<object> {
    const records = await this.search.find(staffOf(request).organizationId, { traceId }, { limit: SUPPORT_RECORDS });
    if (records.length === 0) throw new Failure('resource.not_found', { reason: 'not_found' });
    return { trace_id: traceId, calls: records.map(supportView) };
  }

  private async sumUp(query: SumQuery, about: AuditFilter, request: FastifyRequest): Promise<object> {
    const { after, limit: most = PAGE_MAX } = query;
    const page = after === undefined ? { most } : { after: positionOf(after), most };
    const summary = await this.search.sumUp(staffOf(request).organizationId, { ...periodOf(query), ...about }, page);
    return summaryView(query, summary);
  }
}

/** @throws Failure `input.invalid` for a period that is longer than one question may ask about. */
function requireShort({ from, to }: AuditFilter): void {
  if (Date.parse(to ?? '') - Date.parse(from ?? '') <= RECEIPT_DAYS * DAY_MS) return;
  const violation = {
    pointer: '/to',
    keyword: 'maximum',
    explanation: `must be at most ${RECEIPT_DAYS} days after from`,
  };
  throw new Failure('input.invalid', { violations: [violation] });
}
