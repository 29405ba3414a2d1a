import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { LISTED_STATES, type ListedState } from '../app/approval-store.js';

const PAGE_MAX = 100;

export class ApprovalsQuery {
  @ApiPropertyOptional({
    enum: LISTED_STATES,
    description: 'open: pending or approved, and neither ended nor expired.',
  })
  @IsOptional()
  @IsIn(LISTED_STATES)
  state?: ListedState;

  @ApiPropertyOptional({ pattern: MINTED_ID_PATTERN, description: 'Last approval id of the page before.' })
  @IsOptional()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  before?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: PAGE_MAX, default: 25 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(PAGE_MAX)
  limit?: number;
}

/** An approval says exactly what it approves: the content that the person has seen. */
export class ApproveDto {
  @ApiProperty({ pattern: '^[a-f0-9]{64}$', description: 'content_hash of the approval, as it was shown.' })
  @Matches(/^[a-f0-9]{64}$/)
  content_hash!: string;
}

export class DenyDto {
  @ApiProperty({ minLength: 1, maxLength: 500, description: 'Why. Kept with the approval, not in the audit trail.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;
}
