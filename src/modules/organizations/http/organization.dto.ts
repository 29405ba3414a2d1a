import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { IsISO4217CurrencyCode, IsOptional, IsTimeZone, IsUrl, Matches, MaxLength } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { IfPresent } from '../../../platform/http/if-present.js';
import { IsLine } from '../../../platform/http/is-line.js';

const URL_OPTIONS = { protocols: ['https'], require_protocol: true, require_valid_protocol: true };
/** What begins with this is the platform's. */
const OWN_ID = '^(?!forecourt\\.)[a-z0-9][a-z0-9._-]{0,127}$';

export class CreateOrganizationDto {
  @ApiPropertyOptional({
    pattern: MINTED_ID_PATTERN,
    description: 'Never changed and never used again. Without: minted.',
  })
  @IfPresent()
  @Matches(new RegExp(OWN_ID))
  organization_id?: string;

  @ApiProperty({ maxLength: 200 })
  @IsLine(200)
  name!: string;

  @ApiPropertyOptional({ maxLength: 240, nullable: true })
  @IsOptional()
  @IsLine(240)
  legal_name?: string | null;

  @ApiPropertyOptional({ format: 'uri', nullable: true })
  @IsOptional()
  @IsUrl(URL_OPTIONS)
  @MaxLength(2000)
  website?: string | null;

  @ApiPropertyOptional({ nullable: true, description: 'IANA zone of rooftops that name none.' })
  @IsOptional()
  @IsTimeZone()
  @MaxLength(64)
  time_zone?: string | null;

  @ApiPropertyOptional({ nullable: true, description: 'ISO 4217, of rooftops that name none.' })
  @IsOptional()
  @IsISO4217CurrencyCode()
  @Matches(/^[A-Z]{3}$/)
  currency?: string | null;

  @ApiPropertyOptional({ nullable: true, pattern: '^[A-Z]{2}$', description: 'Of rooftops whose address names none.' })
  @IsOptional()
  @Matches(/^[A-Z]{2}$/)
  country?: string | null;

  @ApiProperty({ maxLength: 120, description: 'The person or program that holds the first administrator’s key.' })
  @IsLine(120)
  admin_name!: string;
}

/** What is left out stays as it is; null takes back what may be unknown. */
export class ChangeOrganizationDto extends PartialType(
  OmitType(CreateOrganizationDto, ['organization_id', 'admin_name'] as const),
  { skipNullProperties: false },
) {}
