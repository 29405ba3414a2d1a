import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { PageQuery } from '../../../platform/http/page-query.js';

const MINTED_ID = new RegExp(MINTED_ID_PATTERN);
const EVENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:\d{2})$/;
/** Time of recording with microseconds, a tilde, and the event id. */
const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z)~([A-Za-z0-9._:-]{1,128})$/;

export class AuditSearchQuery extends PageQuery {
  @ApiPropertyOptional({ format: 'date-time', description: 'Recorded at or after this instant.' })
  @IsOptional()
  @Matches(INSTANT)
  from?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Recorded before this instant.' })
  @IsOptional()
  @Matches(INSTANT)
  to?: string;

  @ApiPropertyOptional({ description: 'Trace id of an answer or an error.' })
  @IsOptional()
  @Matches(EVENT_ID)
  trace_id?: string;

  @ApiPropertyOptional({ description: 'Subject of an agent, id of a key, or name of a program. Auditors only.' })
  @IsOptional()
  @Matches(EVENT_ID)
  actor?: string;

  @ApiPropertyOptional({ description: 'Canonical name of a tool or admin operation.' })
  @IsOptional()
  @Matches(EVENT_ID)
  operation?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @Matches(MINTED_ID)
  rooftop_id?: string;

  @ApiPropertyOptional({ enum: ['allow', 'deny'] })
  @IsOptional()
  @IsIn(['allow', 'deny'])
  decision?: 'allow' | 'deny';

  @ApiPropertyOptional({ enum: ['succeeded', 'failed', 'denied'] })
  @IsOptional()
  @IsIn(['succeeded', 'failed', 'denied'])
  outcome?: 'succeeded' | 'failed' | 'denied';

  @ApiPropertyOptional()
  @IsOptional()
  @Matches(EVENT_ID)
  policy_version?: string;
}

export class ReceiptsQuery {
  @ApiProperty()
  @Matches(MINTED_ID)
  rooftop_id!: string;

  @ApiProperty({ format: 'date-time' })
  @Matches(INSTANT)
  from!: string;

  @ApiProperty({ format: 'date-time', description: 'Not included.' })
  @Matches(INSTANT)
  to!: string;
}

/** The two halves of a position. */
export function positionOf(after: string): { recordedAt: string; eventId: string } {
  const [, recordedAt = '', eventId = ''] = POSITION.exec(after) ?? [];
  return { recordedAt, eventId };
}
