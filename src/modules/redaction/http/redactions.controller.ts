import { Body, Controller, Inject, Post, Req, UseInterceptors, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import type { RedactionGround, RedactionScope } from '../../audit/index.js';
import { REDACTED_OPERATION, REDACTION_GROUNDS, REDACTION_SCOPES } from '../../audit/index.js';
import { RedactAudit } from '../app/redact-audit.js';

export class RedactionDto {
  @ApiProperty({ description: 'Id of the record. A person is named by one of their records, never by value.' })
  @Matches(/^[A-Za-z0-9._:-]{1,128}$/)
  event_id!: string;

  @ApiProperty({
    enum: REDACTION_SCOPES,
    description: 'Erase this record alone, or every record with the same actor or the same client.',
  })
  @IsIn(REDACTION_SCOPES)
  scope!: RedactionScope;

  @ApiProperty({ enum: REDACTION_GROUNDS })
  @IsIn(REDACTION_GROUNDS)
  ground!: RedactionGround;
}

/** Erases who acted out of the audit trail; that it was done stays in it, and the trail still verifies. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit/redactions')
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class RedactionsController {
  constructor(@Inject(RedactAudit) private readonly redacting: RedactAudit) {}

  @Post()
  @Access({ kind: 'key', roles: ['compliance'] })
  @AdminOperation({ name: REDACTED_OPERATION, audit: 'change', change: 'creation', retention: 'audit_event' })
  @ApiOperation({ summary: 'Erase actor and client of audit records, once a second person approved it' })
  async redact(@Body() body: RedactionDto, @Req() request: FastifyRequest): Promise<object> {
    const { event_id: eventId, scope, ground } = body;
    const redaction = await this.redacting.run(organizationOf(request), { eventId, scope, ground }, originOf(request));
    const { redactionId, records, contentHash, more, supersededExports, tables } = redaction;
    return {
      ...{ redaction_id: redactionId, records, content_hash: contentHash, more },
      superseded_exports: supersededExports,
      rewrite_tables: tables,
    };
  }
}
