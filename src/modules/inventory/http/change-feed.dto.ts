import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsObject, IsString, MaxLength, MinLength, ValidateIf, ValidateNested } from 'class-validator';
import { FeedSourceDto } from './create-feed.dto.js';
import { FeedSettingsDto } from './feed-settings.dto.js';

/** Members that are left out stay as they are. */
export class ChangeFeedDto {
  @ApiPropertyOptional({ maxLength: 120 })
  @ValidateIf((o: ChangeFeedDto) => o.name !== undefined)
  @IsString()
  @MinLength(1)
  @MaxLength(120)
  name?: string;

  @ApiPropertyOptional({ description: 'A format name; `auto` tells it by the header.' })
  @ValidateIf((o: ChangeFeedDto) => o.profile !== undefined)
  @IsString()
  @MaxLength(80)
  profile?: string;

  @ApiPropertyOptional({ type: FeedSettingsDto, description: 'All settings; currency and time zone stay if left out.' })
  @ValidateIf((o: ChangeFeedDto) => o.settings !== undefined)
  @IsObject()
  @ValidateNested()
  @Type(() => FeedSettingsDto)
  settings?: FeedSettingsDto;

  @ApiPropertyOptional({ type: FeedSourceDto })
  @ValidateIf((o: ChangeFeedDto) => o.source !== undefined)
  @IsObject()
  @ValidateNested()
  @Type(() => FeedSourceDto)
  source?: FeedSourceDto;

  @ApiPropertyOptional({
    description: 'A feed that is off takes no files and fetches none; another one may then publish its rooftops.',
  })
  @ValidateIf((o: ChangeFeedDto) => o.enabled !== undefined)
  @IsBoolean()
  enabled?: boolean;
}
