import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { RETENTION_CATEGORIES, type RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import { RetentionPolicyDocument } from '../domain/policy-document.js';
import { STARTING_PROFILES } from '../domain/starting-profiles.js';

const CATEGORIES = Object.keys(RETENTION_CATEGORIES) as RetentionCategory[];
const PROFILE_IDS = STARTING_PROFILES.map(({ profileId }) => profileId);
const MAX_VERSION = 2_147_483_647;

class NamedDraftDto {
  @ApiProperty({
    pattern: MINTED_ID_PATTERN,
    description: 'What the policy is called by; with the version it names the rules.',
  })
  @Matches(new RegExp(MINTED_ID_PATTERN))
  policy_id!: string;

  @ApiProperty({ minLength: 1, maxLength: 200 })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(200)
  name!: string;

  @ApiProperty({ minLength: 1, maxLength: 500, description: 'Why. Kept with the version.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;
}

const DOCUMENT = { type: Object, description: 'Rules, and what rooftops tighten.', ...plain(RetentionPolicyDocument) };
/** As it came: no member is renamed, dropped or converted. */
const asItCame = ({ obj }: { obj: { document?: unknown } }): unknown => obj.document;

/** A thin frame: the document itself is checked against its JSON Schema by the use case. */
export class RetentionDraftDto extends NamedDraftDto {
  @ApiProperty(DOCUMENT)
  @Transform(asItCame)
  @IsObject()
  document!: object;
}

/** A draft is written whole, or starts as a copy of a profile. */
export class NewRetentionDraftDto extends NamedDraftDto {
  @ApiPropertyOptional(DOCUMENT)
  @Transform(asItCame)
  @ValidateIf((o: NewRetentionDraftDto) => o.profile_id === undefined || o.document !== undefined)
  @IsObject()
  document?: object;

  @ApiPropertyOptional({ enum: PROFILE_IDS, description: 'Starts from this profile, in place of a document.' })
  @IsOptional()
  @IsIn(PROFILE_IDS)
  profile_id?: string;
}

export class RetentionDifferenceQuery {
  @ApiPropertyOptional({
    minimum: 0,
    description: 'The version to compare with; 0 says nothing. Default: the one before.',
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(MAX_VERSION)
  against?: number;
}

export class ExplainQuery {
  @ApiProperty({ enum: CATEGORIES })
  @IsIn(CATEGORIES)
  category!: RetentionCategory;

  @ApiProperty({ minLength: 1, maxLength: 500, description: 'Id of the record, unique within its category.' })
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  record_id!: string;
}

/** The JSON Schema as plain data, without the symbols of its author. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema)) as object;
}
