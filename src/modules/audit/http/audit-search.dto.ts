import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { PAGE_MAX, PageQuery } from '../../../platform/http/page-query.js';

const MINTED_ID = new RegExp(MINTED_ID_PATTERN);
const EVENT_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** What stands in a record as a name: printable, without spaces around it. */
const NAME = /^[\x21-\x7e](?:[\x20-\x7e]{0,510}[\x21-\x7e])?$/;
const SURFACES = ['mcp', 'a2a', 'ops', 'admin', 'worker', 'command'];
/** Longest period of one question for receipts. */
export const RECEIPT_DAYS = 92;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:\d{2})$/;
/** Time of recording with microseconds, a tilde, and the event id. */
const POSITION = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z)~([A-Za-z0-9._:-]{1,128})$/;

/** When and where something was recorded: what every reader of the trail may ask for. */
export class AuditConditions extends PageQuery {
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

  @ApiPropertyOptional({ description: 'Canonical name of a tool or admin operation.' })
  @IsOptional()
  @Matches(EVENT_ID)
  operation?: string;

  @ApiPropertyOptional({ description: 'Profile of the tool.' })
  @IsOptional()
  @Matches(NAME)
  profile?: string;

  @ApiPropertyOptional({ enum: SURFACES })
  @IsOptional()
  @IsIn(SURFACES)
  surface?: string;

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
  @Matches(NAME)
  policy_version?: string;

  @ApiPropertyOptional({
    description: 'Subject of an agent, id of a key or person, or name of a program. Auditors only.',
  })
  @IsOptional()
  @Matches(NAME)
  actor?: string;

  @ApiPropertyOptional({ description: 'OAuth client. Auditors only.' })
  @IsOptional()
  @Matches(NAME)
  client?: string;

  @ApiPropertyOptional({ description: 'Id of a vehicle or of another resource. Auditors only.' })
  @IsOptional()
  @Matches(NAME)
  resource_id?: string;
}

export class AuditSearchQuery extends AuditConditions {}

/** A period; without one, all that is kept. `cursor` goes on with the records that the answer before did not count. */
export class SumQuery extends PageQuery {
  @ApiPropertyOptional({ format: 'date-time', description: 'Recorded at or after this instant.' })
  @IsOptional()
  @Matches(INSTANT)
  from?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'Recorded before this instant.' })
  @IsOptional()
  @Matches(INSTANT)
  to?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: PAGE_MAX,
    description: 'Resources listed.',
  })
  declare limit?: number;
}

export class TouchedQuery extends SumQuery {
  @ApiProperty({ description: 'Subject of an agent, or id of a vehicle or of another resource.' })
  @Matches(NAME)
  subject!: string;
}

export class ReachedQuery extends SumQuery {
  @ApiProperty({ description: 'Subject of an agent, id of a key or person, or name of a program.' })
  @Matches(NAME)
  actor!: string;
}

export class ReceiptsQuery extends PageQuery {
  @ApiProperty()
  @Matches(MINTED_ID)
  rooftop_id!: string;

  @ApiProperty({ format: 'date-time' })
  @Matches(INSTANT)
  from!: string;

  @ApiProperty({ format: 'date-time', description: `Not included; at most ${RECEIPT_DAYS} days after \`from\`.` })
  @Matches(INSTANT)
  to!: string;
}

/** The two halves of a position. */
export function positionOf(after: string): { recordedAt: string; eventId: string } {
  const [, recordedAt = '', eventId = ''] = POSITION.exec(after) ?? [];
  return { recordedAt, eventId };
}

/** Day, tool and outcome of the last line of a page of receipts. */
export function receiptPositionOf(after: string): { day: string; operation: string; outcome: string } {
  const [day = '', operation = '', outcome = ''] = after.split('~');
  return { day, operation, outcome };
}
