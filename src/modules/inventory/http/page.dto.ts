import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { ROW_DISPOSITIONS, type RowDisposition } from '../app/feed-run.js';
import { PageQuery } from '../../../platform/http/page-query.js';

export class RowPageQuery extends PageQuery {
  @ApiPropertyOptional({ enum: ROW_DISPOSITIONS })
  @IsOptional()
  @IsIn(ROW_DISPOSITIONS)
  disposition?: RowDisposition;
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
