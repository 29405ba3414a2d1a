import { Controller, Get, Inject, Param, Query, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { parseRfc3339 } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { staffOf } from '../../../platform/http/staff-request.js';
import type { AuditFilter, AuditSearch } from '../app/audit-search.js';
import { AUDIT_SEARCH } from '../app/audit-search.js';
import { ProveRecord } from '../app/prove-record.js';
import { AuditSearchQuery, positionOf, ReceiptsQuery } from './audit-search.dto.js';
import { bodyView, metadataView, proofView, receiptView } from './audit-views.js';

const RETENTION = 'audit_event';
const READERS = ['admin', 'compliance', 'auditor'] as const;

/** The organization's own trail: auditors see whole records, the others what happened and how it ended. Each look is recorded. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit')
@Access({ kind: 'key', roles: [...READERS] })
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
    if (query.actor !== undefined && role !== 'auditor') throw new Failure('caller.role_forbidden');
    const { after, limit } = pageRequestOf(query);
    const page = after === undefined ? { limit } : { after: positionOf(after), limit };
    const records = await this.search.find(organizationId, filterOf(query), page);
    const view = role === 'auditor' ? bodyView : metadataView;
    return pageOf('records', query, records, view, (last) => `${last.recordedAt}~${last.eventId}`);
  }

  @Get('records/:event_id/proof')
  @Access({ kind: 'key', roles: ['auditor'] })
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
    const [from, to] = [instantOf('/from', query.from), instantOf('/to', query.to)];
    const lines = await this.search.receipts(staffOf(request).organizationId, query.rooftop_id, from, to);
    return { rooftop_id: query.rooftop_id, lines: lines.map(receiptView) };
  }
}

function filterOf(query: AuditSearchQuery): AuditFilter {
  const filter = {
    from: query.from === undefined ? undefined : instantOf('/from', query.from),
    to: query.to === undefined ? undefined : instantOf('/to', query.to),
    traceId: query.trace_id,
    actor: query.actor,
    operation: query.operation,
    rooftopId: query.rooftop_id,
    decision: query.decision,
    outcome: query.outcome,
    policyVersion: query.policy_version,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The text itself, when it is an instant that exists. @throws Failure `input.invalid` for a 30th of February. */
function instantOf(pointer: string, text: string): string {
  if (parseRfc3339(text) !== undefined) return text;
  const violation = { pointer, keyword: 'format', explanation: 'must be a date-time with offset' };
  throw new Failure('input.invalid', { violations: [violation] });
}
