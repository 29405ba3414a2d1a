import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { RETENTION_CATEGORIES } from '../../../kernel/retention/retention-categories.js';

const CATEGORIES = Object.keys(RETENTION_CATEGORIES);

export class RetentionRunDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 500,
    description: 'Why. Part of what is approved and of the deletion record.',
  })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;

  @ApiPropertyOptional({
    enum: CATEGORIES,
    isArray: true,
    description: 'Default: every category of the policy in force.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @IsIn(CATEGORIES, { each: true })
  categories?: string[];

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 500,
    description: 'Why more may go than the brake lets through. Whoever approves the run approves this, too.',
  })
  @IsOptional()
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  beyond_brake?: string;
}
