import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { Failure } from '../../../kernel/failure/failure.js';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { RETENTION_CATEGORIES, type RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import { parseRfc3339 } from '../../../kernel/time.js';
import { IfPresent } from '../../../platform/http/if-present.js';
import { IsLine } from '../../../platform/http/is-line.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import type { RequestedHold } from '../domain/legal-hold.js';

const CATEGORIES = Object.keys(RETENTION_CATEGORIES) as RetentionCategory[];
const MINTED_ID = new RegExp(MINTED_ID_PATTERN);
const INSTANT = { format: 'date-time' } as const;

/** Why a person does something, in their words. */
export class HoldReasonDto {
  @ApiProperty({ minLength: 1, maxLength: 500, description: 'Why. Kept with the hold.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;
}

/** What is to be held: every dimension that is there must cover a record, and without any of them everything is held. */
export class HoldDto extends HoldReasonDto {
  @ApiProperty({ minLength: 1, maxLength: 200, description: 'The case that it is for.' })
  @IsLine(200)
  matter!: string;

  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: 1000 })
  @IfPresent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @ArrayUnique()
  @Matches(MINTED_ID, { each: true })
  rooftop_ids?: string[];

  @ApiPropertyOptional({ enum: CATEGORIES, isArray: true, minItems: 1 })
  @IfPresent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(CATEGORIES, { each: true })
  categories?: RetentionCategory[];

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: 1000,
    description: 'Persons, agents, clients or vehicles (VIN), as records name them.',
  })
  @IfPresent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @ArrayUnique()
  @IsLine(512, { each: true })
  subjects?: string[];

  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: 10_000 })
  @IfPresent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(10_000)
  @ArrayUnique()
  @IsLine(512, { each: true })
  record_ids?: string[];

  @ApiPropertyOptional({ ...INSTANT, description: 'Records that were created at or after this instant.' })
  @IfPresent()
  @IsString()
  from?: string;

  @ApiPropertyOptional({ ...INSTANT, description: 'Records that were created before this instant.' })
  @IfPresent()
  @IsString()
  until?: string;
}

/** @throws Failure `input.invalid` for a time that is none, or a period that ends before it begins. */
export function requestedHoldOf(dto: HoldDto): RequestedHold {
  const from = instantOf(dto.from, '/from');
  const until = instantOf(dto.until, '/until');
  if (from !== null && until !== null && until <= from) throw invalid('/until', 'must be after from');
  const { matter, reason, rooftop_ids: rooftopIds, categories, subjects, record_ids: recordIds } = dto;
  const named = { rooftopIds: rooftopIds ?? null, categories: categories ?? null, recordIds: recordIds ?? null };
  return { matter, reason, ...named, subjects: subjects ?? null, from, until };
}

function instantOf(text: string | undefined, pointer: string): number | null {
  if (text === undefined) return null;
  const ms = parseRfc3339(text);
  if (ms === undefined) throw invalid(pointer, 'must be an RFC 3339 time with an offset');
  return ms;
}

const invalid = (pointer: string, explanation: string): Failure =>
  new Failure('input.invalid', { violations: [{ pointer, keyword: 'format', explanation }] });

/** One record, by what every list of a hold says of it. */
export class HeldRecordQuery {
  @ApiProperty({ enum: CATEGORIES })
  @IsIn(CATEGORIES)
  category!: RetentionCategory;

  @ApiProperty({ minLength: 1, maxLength: 512 })
  @IsLine(512)
  record_id!: string;
}

export class HeldRecordsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 10,
    default: 1,
    description: 'How many thousands of records (1,024) a page has at most.',
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(10)
  declare limit?: number;
}

/** What persons are told of a hold. */
export class HoldNoticeDto {
  @ApiProperty({ type: [String], minItems: 1, maxItems: 100, description: 'Persons of the staff, by id.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @Matches(MINTED_ID, { each: true })
  person_ids!: string[];

  @ApiProperty({ minLength: 1, maxLength: 4000, description: 'What is to be kept, and what to do with it.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(4000)
  message!: string;

  @ApiPropertyOptional({ description: 'Who is told when it is not acknowledged after the last reminder.' })
  @IfPresent()
  @Matches(MINTED_ID)
  escalate_to?: string;
}
