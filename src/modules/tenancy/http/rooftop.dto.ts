import { ApiProperty, ApiPropertyOptional, PartialType, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsISO4217CurrencyCode,
  IsOptional,
  IsString,
  IsTimeZone,
  IsUrl,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { IfPresent } from '../../../platform/http/if-present.js';
import type { ContactPoint, HoursInterval, Rooftop } from '../domain/dealer-group.js';
import { IsLine } from '../../../platform/http/is-line.js';

const DEPARTMENTS = ['sales', 'internet_sales', 'service', 'parts'] as const;
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const URL_OPTIONS = { protocols: ['https'], require_protocol: true, require_valid_protocol: true };

export class AddressDto {
  @ApiProperty({ type: [String], minItems: 1, maxItems: 5 })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(5)
  @IsLine(160, { each: true })
  lines!: string[];

  @ApiProperty({ maxLength: 128 })
  @IsLine(128)
  locality!: string;

  @ApiPropertyOptional({ maxLength: 64 })
  @IfPresent()
  @IsLine(64)
  region?: string;

  @ApiPropertyOptional({ maxLength: 32 })
  @IfPresent()
  @IsLine(32)
  postal_code?: string;

  @ApiPropertyOptional({ pattern: '^[A-Z]{2}$', description: 'Without: that of the organization.' })
  @IfPresent()
  @Matches(/^[A-Z]{2}$/)
  country?: string;
}

export class ContactDto {
  @ApiProperty({ enum: [...DEPARTMENTS, 'general'] })
  @IsIn([...DEPARTMENTS, 'general'])
  department!: ContactPoint['department'];

  @ApiProperty({ enum: ['phone', 'email', 'web'] })
  @IsIn(['phone', 'email', 'web'])
  channel!: ContactPoint['channel'];

  @ApiProperty({ maxLength: 320, description: 'A point of contact of the business, never of a private person.' })
  @IsLine(320)
  value!: string;

  @ApiPropertyOptional({ default: false, description: 'Only public contacts leave the service.' })
  @IfPresent()
  @IsBoolean()
  public?: boolean;
}

export class HoursDto {
  @ApiProperty({ enum: DAYS })
  @IsIn(DAYS)
  day!: HoursInterval['day'];

  @ApiProperty({ example: '09:00' })
  @Matches(CLOCK)
  opens!: string;

  @ApiProperty({ example: '20:00' })
  @Matches(CLOCK)
  closes!: string;
}

export class CreateRooftopDto {
  @ApiPropertyOptional({
    pattern: MINTED_ID_PATTERN,
    description: 'Never changed and never used again. Without: minted.',
  })
  @IfPresent()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  rooftop_id?: string;

  @ApiProperty({ maxLength: 200 })
  @IsLine(200)
  name!: string;

  @ApiPropertyOptional({ maxLength: 240, nullable: true })
  @IsOptional()
  @IsLine(240)
  legal_name?: string | null;

  @ApiPropertyOptional({ format: 'uri', nullable: true })
  @IsOptional()
  @IsUrl(URL_OPTIONS)
  @MaxLength(2000)
  website?: string | null;

  @ApiProperty({ type: AddressDto })
  @ValidateNested()
  @Type(() => AddressDto)
  address!: AddressDto;

  @ApiPropertyOptional({ description: 'IANA zone. Without: that of the organization.' })
  @IfPresent()
  @IsTimeZone()
  @MaxLength(64)
  time_zone?: string;

  @ApiPropertyOptional({
    description: 'ISO 4217, of all its prices; never changed. Without: that of the organization.',
  })
  @IfPresent()
  @IsISO4217CurrencyCode()
  @Matches(/^[A-Z]{3}$/)
  currency?: string;

  @ApiProperty({ enum: DEPARTMENTS, isArray: true })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(DEPARTMENTS, { each: true })
  departments!: Rooftop['departments'][number][];

  @ApiPropertyOptional({ type: [ContactDto], maxItems: 50 })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => ContactDto)
  contacts?: ContactDto[];

  @ApiPropertyOptional({ type: [HoursDto], maxItems: 50 })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => HoursDto)
  hours?: HoursDto[];

  @ApiPropertyOptional({ type: [String], maxItems: 50, example: ['en-US'] })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(50)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(/^[a-z]{2,3}(?:-[A-Z]{2})?$/, { each: true })
  languages?: string[];
}

/** What is left out stays as it is; lists and the address are replaced whole. Ids and currency never change. */
export class ChangeRooftopDto extends PartialType(OmitType(CreateRooftopDto, ['rooftop_id', 'currency'] as const), {
  skipNullProperties: false,
}) {}
