import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { LISTED_STATES, type ListedState } from '../app/approval-store.js';
import { PageQuery } from '../../../platform/http/page-query.js';

export class ApprovalsQuery extends PageQuery {
  @ApiPropertyOptional({
    enum: LISTED_STATES,
    description: 'open: pending or approved, and neither ended nor expired.',
  })
  @IsOptional()
  @IsIn(LISTED_STATES)
  state?: ListedState;
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
