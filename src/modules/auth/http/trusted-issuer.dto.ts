import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { TOKEN_ALGORITHMS } from '../domain/token-header.js';

/**
 * RFC 8414 §2: no query, no fragment; and no user name. The egress guard lets plain http through for exempted hosts of the
 * local profile alone.
 */
export const ISSUER_PATTERN = "^https?://[A-Za-z0-9.:\\[\\]-]{1,255}(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/-]{0,200})?$";
const PLACE_PATTERN = "^https?://[A-Za-z0-9.:\\[\\]-]{1,255}(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]{0,700})?$";
const CLIENT_ID = '^[\\x21-\\x7e]{1,256}$';

/** Where opaque tokens are asked about. */
export class IntrospectionDto {
  @ApiProperty({ pattern: PLACE_PATTERN, description: 'Introspection endpoint (RFC 7662).' })
  @Matches(new RegExp(PLACE_PATTERN))
  endpoint!: string;

  @ApiProperty({ pattern: CLIENT_ID, description: 'As whom this gateway asks.' })
  @Matches(new RegExp(CLIENT_ID))
  client_id!: string;

  @ApiProperty({
    pattern: MINTED_ID_PATTERN,
    description: 'Name of the file in ISSUER_CREDENTIALS_DIR that holds its secret.',
  })
  @Matches(new RegExp(MINTED_ID_PATTERN))
  credential!: string;
}

/** An authorization server whose tokens the organization accepts. */
export class TrustedIssuerDto {
  @ApiProperty({ pattern: ISSUER_PATTERN, description: 'Exactly as its tokens name it, a final slash included.' })
  @MaxLength(512)
  @Matches(new RegExp(ISSUER_PATTERN))
  issuer!: string;

  @ApiPropertyOptional({ pattern: PLACE_PATTERN, description: 'Where its keys are. Default: what its metadata says.' })
  @IsOptional()
  @Matches(new RegExp(PLACE_PATTERN))
  jwks_uri?: string;

  @ApiPropertyOptional({ enum: TOKEN_ALGORITHMS, isArray: true, description: 'Default: all of them.' })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(TOKEN_ALGORITHMS, { each: true })
  algorithms?: string[];

  @ApiPropertyOptional({ type: IntrospectionDto, description: 'For an issuer of opaque tokens.' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => IntrospectionDto)
  introspection?: IntrospectionDto;

  @ApiPropertyOptional({ default: false, description: 'Accept only tokens that are bound to a key (RFC 9449).' })
  @IsOptional()
  @IsBoolean()
  requires_dpop?: boolean;
}
