import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsDefined,
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
  ValidateNested,
} from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { FeedSettingsDto } from './feed-settings.dto.js';

const MINTED_ID = new RegExp(MINTED_ID_PATTERN);
const FOLDER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,127}){0,3}$/;
const HTTP_URL = /^https?:\/\/[^\s@]{1,1990}$/;

export class FeedRooftopsDto {
  @ApiPropertyOptional({ description: 'The whole file belongs to this rooftop.' })
  @ValidateIf((o: FeedRooftopsDto) => o.rooftop_keys === undefined)
  @Matches(MINTED_ID)
  rooftop_id?: string;

  @ApiPropertyOptional({
    description: 'Store key in the file → rooftop id.',
    type: 'object',
    additionalProperties: { type: 'string' },
  })
  @IsOptional()
  @IsObject()
  rooftop_keys?: Record<string, string>;
}

export class FeedSourceDto {
  @ApiProperty({ enum: ['upload', 'watch', 'pull'] })
  @IsIn(['upload', 'watch', 'pull'])
  kind!: 'upload' | 'watch' | 'pull';

  @ApiPropertyOptional({ description: 'Watched folder, below the watch root and the organization.' })
  @ValidateIf((o: FeedSourceDto) => o.kind === 'watch')
  @Matches(FOLDER)
  folder?: string;

  @ApiPropertyOptional({ description: 'HTTPS address of the file.' })
  @ValidateIf((o: FeedSourceDto) => o.kind === 'pull')
  @Matches(HTTP_URL)
  url?: string;

  @ApiPropertyOptional({ minimum: 5, maximum: 10_080 })
  @ValidateIf((o: FeedSourceDto) => o.kind === 'pull')
  @IsInt()
  @Min(5)
  @Max(10_080)
  interval_minutes?: number;
}

/** A new source of inventory. */
export class CreateFeedDto {
  @ApiProperty({ pattern: MINTED_ID_PATTERN })
  @Matches(MINTED_ID)
  feed_id!: string;

  @ApiProperty({ maxLength: 120 })
  @IsString()
  @MinLength(1)
  @MaxLength(120)
  name!: string;

  @ApiPropertyOptional({ description: 'A format name; `auto` tells it by the header.', default: 'auto' })
  @IsOptional()
  @IsString()
  @MaxLength(80)
  profile?: string;

  @ApiProperty({ type: FeedRooftopsDto })
  @IsDefined()
  @ValidateNested()
  @Type(() => FeedRooftopsDto)
  rooftops!: FeedRooftopsDto;

  @ApiPropertyOptional({ type: FeedSettingsDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => FeedSettingsDto)
  settings?: FeedSettingsDto;

  @ApiPropertyOptional({ type: FeedSourceDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => FeedSourceDto)
  source?: FeedSourceDto;
}
