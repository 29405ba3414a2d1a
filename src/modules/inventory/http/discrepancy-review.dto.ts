import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { REVIEW_STATUSES, type ReviewStatus } from '../app/discrepancy-review-store.js';
import { DISPUTABLE_FACTS, ODOMETER_READING } from '../domain/used-vehicle/disagreements.js';

const FIELDS = [...DISPUTABLE_FACTS, ODOMETER_READING];

export class DiscrepancyReviewDto {
  @ApiProperty({ enum: FIELDS })
  @IsIn(FIELDS)
  field!: string;

  @ApiProperty({ pattern: '^[0-9a-f]{64}$', description: 'Of the statements as they were shown.' })
  @IsString()
  @Matches(/^[0-9a-f]{64}$/)
  content_hash!: string;

  @ApiProperty({ enum: REVIEW_STATUSES, description: '`unresolved` takes a review back.' })
  @IsIn(REVIEW_STATUSES)
  status!: ReviewStatus;

  @ApiProperty({ minLength: 1, maxLength: 500, description: 'What was looked at. Kept here; agents never see it.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;
}
