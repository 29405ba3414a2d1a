import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { WITHHELD_REASONS, type WithheldReason } from '../domain/feed/row-outcome.js';

export class WithheldPageQuery {
  @ApiPropertyOptional({ description: 'Only units of this rooftop.' })
  @IsOptional()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  rooftop_id?: string;

  @ApiPropertyOptional({ enum: WITHHELD_REASONS })
  @IsOptional()
  @IsIn(WITHHELD_REASONS)
  reason?: WithheldReason;

  @ApiPropertyOptional({ description: 'Vehicle id of the last unit seen.' })
  @IsOptional()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  after?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: 1000, default: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit?: number;
}
