import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { ROW_DISPOSITIONS, type RowDisposition } from '../app/feed-run.js';

export class RunPageQuery {
  @ApiPropertyOptional({ description: 'Run id of the last run seen.' })
  @IsOptional()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  after?: string;

  @ApiPropertyOptional({ minimum: 1, maximum: 100, default: 25 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number;
}

export class RowPageQuery {
  @ApiPropertyOptional({ enum: ROW_DISPOSITIONS })
  @IsOptional()
  @IsIn(ROW_DISPOSITIONS)
  disposition?: RowDisposition;

  @ApiPropertyOptional({ minimum: 0, description: 'Ordinal of the last row seen.' })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(2_147_483_647)
  after?: number;

  @ApiPropertyOptional({ minimum: 1, maximum: 1000, default: 100 })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1000)
  limit?: number;
}

export class UploadQuery {
  @ApiPropertyOptional({ maxLength: 255, description: 'Name of the file, kept for people.' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  name?: string;

  @ApiPropertyOptional({ enum: ['true', 'false'], description: 'Import also what is published already.' })
  @IsOptional()
  @IsIn(['true', 'false'])
  force?: 'true' | 'false';
}
