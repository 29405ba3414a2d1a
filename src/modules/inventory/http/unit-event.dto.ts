import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsOptional,
  IsRFC3339,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { UNIT_EVENT_KINDS, type UnitEventKind } from '../app/unit-event.js';

export class EventPriceDto {
  @ApiProperty({ description: 'Integer minor units.', minimum: 1 })
  @IsInt()
  @Min(1)
  @Max(1_000_000_000_000)
  amount_minor!: number;

  @ApiProperty({ pattern: '^[A-Z]{3}$' })
  @Matches(/^[A-Z]{3}$/)
  currency!: string;
}

/** What happened to one unit between two files. */
export class UnitEventDto {
  @ApiProperty({ maxLength: 128, description: 'The same event sent again has the same id.' })
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  event_id!: string;

  @ApiProperty({ pattern: MINTED_ID_PATTERN })
  @Matches(new RegExp(MINTED_ID_PATTERN))
  rooftop_id!: string;

  @ApiProperty({ pattern: '^[A-HJ-NPR-Z0-9]{17}$' })
  @Matches(/^[A-HJ-NPR-Z0-9]{17}$/)
  vin!: string;

  @ApiProperty({ enum: UNIT_EVENT_KINDS })
  @IsIn(UNIT_EVENT_KINDS)
  kind!: UnitEventKind;

  @ApiProperty({ format: 'date-time', description: 'When it happened at the source, with offset.' })
  @IsRFC3339()
  source_time!: string;

  @ApiPropertyOptional({ type: EventPriceDto, description: 'For kind price, and only for it.' })
  @IsOptional()
  @ValidateNested()
  @Type(() => EventPriceDto)
  price?: EventPriceDto;
}
