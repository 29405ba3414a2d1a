import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsRFC3339,
  Matches,
  ValidateIf,
} from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { IfPresent } from '../../../platform/http/if-present.js';
import { LIMITS } from '../../../kernel/limits.js';
import { GRANT_PURPOSES, GRANT_SCOPES } from '../domain/grant-vocabulary.js';

const MINTED_ID = new RegExp(MINTED_ID_PATTERN);
const SUBJECT = '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$';
const PROFILE = '^dealeragent\\.[a-z0-9.-]{1,80}/[0-9]{1,3}\\.[0-9]{1,3}$';
const ROOFTOPS_MAX = LIMITS.rooftopIdsPerRequest.value;

/** What an organization allows an agent. Rooftops are named one by one, or come from a recorded group delegation. */
export class GrantDto {
  @ApiProperty({
    pattern: SUBJECT,
    description: 'Who the agent is, for example agent:buyer-assistant. Never a person.',
  })
  @Matches(new RegExp(SUBJECT))
  subject!: string;

  @ApiPropertyOptional({ type: [String], maxItems: ROOFTOPS_MAX, description: 'Instead of delegation_id.' })
  @ValidateIf((o: GrantDto) => o.delegation_id === undefined || o.rooftop_ids !== undefined)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(ROOFTOPS_MAX)
  @ArrayUnique()
  @Matches(MINTED_ID, { each: true })
  rooftop_ids?: string[];

  @ApiPropertyOptional({ pattern: MINTED_ID_PATTERN, description: 'Instead of rooftop_ids.' })
  @ValidateIf((o: GrantDto) => o.delegation_id !== undefined)
  @Matches(MINTED_ID)
  delegation_id?: string;

  @ApiProperty({ type: [String], maxItems: 20, example: ['dealeragent.inventory.availability/0.1'] })
  @IsArray()
  @ArrayMaxSize(20)
  @ArrayUnique()
  @Matches(new RegExp(PROFILE), { each: true })
  profiles!: string[];

  @ApiProperty({ enum: GRANT_SCOPES, isArray: true })
  @IsArray()
  @ArrayUnique()
  @IsIn(GRANT_SCOPES, { each: true })
  scopes!: string[];

  @ApiProperty({ enum: GRANT_PURPOSES, isArray: true, description: 'vehicle_shopping covers the other three.' })
  @IsArray()
  @ArrayUnique()
  @IsIn(GRANT_PURPOSES, { each: true })
  purposes!: string[];

  @ApiProperty({ format: 'date-time', description: 'With offset.' })
  @IsRFC3339()
  expires_at!: string;

  @ApiPropertyOptional({
    enum: ['dotted', 'underscore'],
    description: 'How lists name tools for the agent at any path; absent: as the path says. Calls take both forms.',
  })
  @IfPresent()
  @IsIn(['dotted', 'underscore'])
  tool_names?: 'dotted' | 'underscore';
}

/** A group-level delegation: the separately recorded permission that a grant beyond single rooftops rests on. */
export class DelegationDto {
  @ApiProperty({ pattern: SUBJECT, description: 'The subject that may be granted by it.' })
  @Matches(new RegExp(SUBJECT))
  grantee!: string;

  @ApiProperty({ enum: ['listed', 'all'], description: 'all: every rooftop of the organization, also those to come.' })
  @IsIn(['listed', 'all'])
  covers!: 'listed' | 'all';

  @ApiPropertyOptional({ type: [String], maxItems: ROOFTOPS_MAX, description: 'For covers listed, and only for it.' })
  @ValidateIf((o: DelegationDto) => o.covers === 'listed' || o.rooftop_ids !== undefined)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(ROOFTOPS_MAX)
  @ArrayUnique()
  @Matches(MINTED_ID, { each: true })
  rooftop_ids?: string[];

  @ApiProperty({ enum: GRANT_SCOPES, isArray: true })
  @IsArray()
  @ArrayUnique()
  @IsIn(GRANT_SCOPES, { each: true })
  scopes!: string[];

  @ApiProperty({ format: 'date-time', description: 'With offset.' })
  @IsRFC3339()
  expires_at!: string;
}
