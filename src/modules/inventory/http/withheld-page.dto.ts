import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { WITHHELD_REASONS, type WithheldReason } from '../domain/feed/row-outcome.js';
import { PageQuery } from '../../../platform/http/page-query.js';

export class WithheldPageQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only units of this rooftop.' })
  @IsOptional()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  rooftop_id?: string;

  @ApiPropertyOptional({ enum: WITHHELD_REASONS })
  @IsOptional()
  @IsIn(WITHHELD_REASONS)
  reason?: WithheldReason;
}
