import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { LIMITS } from '../../../kernel/limits.js';
import { RETENTION_CATEGORIES } from '../../../kernel/retention/retention-categories.js';

const CATEGORIES = Object.keys(RETENTION_CATEGORIES);
const CAP = LIMITS.standingApprovalRecords.value;
const DAYS = LIMITS.standingApprovalDays.value;

/** What the sweep of every day may do without asking again. */
export class StandingApprovalDto {
  @ApiProperty({ enum: CATEGORIES, isArray: true, minItems: 1 })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @IsIn(CATEGORIES, { each: true })
  categories!: string[];

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: CAP,
    description: 'Most records that go in one run; more wait for two people.',
  })
  @IsInt()
  @Min(1)
  @Max(CAP)
  record_cap!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: DAYS,
    description: 'Days from now on which it stands, at most.',
  })
  @IsInt()
  @Min(1)
  @Max(DAYS)
  days!: number;

  @ApiProperty({ minLength: 1, maxLength: 500, description: 'Why. Part of what is approved.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;
}
