import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { EXPORT_FORMATS, type ExportFormat } from '../app/exports/audit-export.js';
import { AuditConditions } from './audit-search.dto.js';

/** Which records; without any condition all that the newest checkpoint covers. */
export class ExportFilterDto extends OmitType(AuditConditions, ['cursor', 'limit', 'after'] as const) {}

export class AuditExportDto {
  @ApiProperty({ enum: EXPORT_FORMATS })
  @IsIn(EXPORT_FORMATS)
  format!: ExportFormat;

  @ApiPropertyOptional({ type: ExportFilterDto })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ExportFilterDto)
  filter?: ExportFilterDto;
}
