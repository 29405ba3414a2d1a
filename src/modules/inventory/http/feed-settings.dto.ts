import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsTimeZone,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';

export class FeedGuardsDto {
  @ApiPropertyOptional({ minimum: 0, maximum: 1, description: 'Hold a file with more than this share of bad rows.' })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  bad_row_share?: number;

  @ApiPropertyOptional({
    minimum: 0,
    maximum: 1,
    description: 'Hold a file that keeps less than this share of what a rooftop offers.',
  })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  shrink_share?: number;
}

/** How a feed is to be read, beside its format. */
export class FeedSettingsDto {
  @ApiPropertyOptional({ pattern: '^[A-Z]{3}$', description: 'Default: that of the rooftop.' })
  @IsOptional()
  @Matches(/^[A-Z]{3}$/)
  currency?: string;

  @ApiPropertyOptional({ description: 'IANA zone of times without offset. Default: that of the rooftop.' })
  @IsOptional()
  @IsTimeZone()
  time_zone?: string;

  @ApiPropertyOptional({ enum: ['mi', 'km'] })
  @IsOptional()
  @IsIn(['mi', 'km'])
  odometer_unit?: 'mi' | 'km';

  @ApiPropertyOptional({ type: [String], description: 'Price columns in order of preference.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @MaxLength(120, { each: true })
  price_columns?: string[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Further condition words → new, used, certified or demo.',
  })
  @IsOptional()
  @IsObject()
  condition_map?: Record<string, 'new' | 'used' | 'certified' | 'demo'>;

  @ApiPropertyOptional({ enum: ['available', 'unknown'] })
  @IsOptional()
  @IsIn(['available', 'unknown'])
  empty_status?: 'available' | 'unknown';

  @ApiPropertyOptional({ enum: ['auto', 'utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] })
  @IsOptional()
  @IsIn(['auto', 'utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])
  encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

  @ApiPropertyOptional({ enum: ['decimal_point', 'decimal_comma'] })
  @IsOptional()
  @IsIn(['decimal_point', 'decimal_comma'])
  number_style?: 'decimal_point' | 'decimal_comma';

  @ApiPropertyOptional({ description: 'Base of relative links; {accountId} is replaced by the store key of the row.' })
  @IsOptional()
  @Matches(/^https:\/\/\S{1,500}$/)
  base_url?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Our field name → header in the file.',
  })
  @IsOptional()
  @IsObject()
  header_overrides?: Record<string, string>;

  @ApiPropertyOptional({ enum: ['flag', 'quarantine'], description: 'What a failed VIN check digit does.' })
  @IsOptional()
  @IsIn(['flag', 'quarantine'])
  vin_checksum?: 'flag' | 'quarantine';

  @ApiPropertyOptional({ type: FeedGuardsDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => FeedGuardsDto)
  guards?: FeedGuardsDto;
}
