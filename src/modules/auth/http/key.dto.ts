import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsRFC3339,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { KEY_ROLES, type KeyRole } from '../../../kernel/caller.js';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { KEY_SCOPE_PATTERN } from '../../../kernel/key-scopes.js';
import { LIMITS } from '../../../kernel/limits.js';
import { IfPresent } from '../../../platform/http/if-present.js';
import { NETWORK_MAX_LENGTH } from '../domain/key-networks.js';

/** Letters, marks, digits, spaces and what names have; no line breaks and nothing that a terminal or a page would obey. */
const NAME = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} .,:;'’()&@/+_-]*$/u;

/** A key for a named person or program. */
export class CreateKeyDto {
  @ApiProperty({ minLength: 1, maxLength: 120, description: 'The person or program that holds it.' })
  @IsString()
  @MinLength(1)
  @MaxLength(120)
  @Matches(NAME)
  name!: string;

  @ApiProperty({ enum: KEY_ROLES })
  @IsIn(KEY_ROLES)
  role!: KeyRole;

  @ApiPropertyOptional({
    type: [String],
    maxItems: LIMITS.keyScopes.value,
    description:
      'The only operations that it may call: op:feeds.create or category:feeds. Without: all that its role or grant allows.',
  })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(LIMITS.keyScopes.value)
  @ArrayUnique()
  @Matches(new RegExp(KEY_SCOPE_PATTERN), { each: true })
  scopes?: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: LIMITS.keyNetworks.value,
    description: 'CIDR ranges, IPv4 or IPv6, that it may be used from. Without: from everywhere.',
  })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(LIMITS.keyNetworks.value)
  @ArrayUnique()
  @IsString({ each: true })
  @MaxLength(NETWORK_MAX_LENGTH + 4, { each: true })
  networks?: string[];

  @ApiPropertyOptional({ pattern: MINTED_ID_PATTERN, description: 'The grant that a key of the role app carries.' })
  @IfPresent()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  grant_id?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'With offset. Without: the key has no end.' })
  @IfPresent()
  @IsRFC3339()
  expires_at?: string;
}

export class ChangeKeyDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 120 })
  @IfPresent()
  @IsString()
  @MinLength(1)
  @MaxLength(120)
  @Matches(NAME)
  name?: string;

  @ApiPropertyOptional({ type: [String], maxItems: LIMITS.keyNetworks.value, description: 'All of them; [] for none.' })
  @IfPresent()
  @IsArray()
  @ArrayMaxSize(LIMITS.keyNetworks.value)
  @ArrayUnique()
  @IsString({ each: true })
  @MaxLength(NETWORK_MAX_LENGTH + 4, { each: true })
  networks?: string[];
}

export class RotateKeyDto {
  @ApiPropertyOptional({
    format: 'date-time',
    description: `Until when the old key works beside its successor, at most ${LIMITS.keyOverlapMaxSeconds.value} seconds; ${LIMITS.keyOverlapDefaultSeconds.value} without.`,
  })
  @IfPresent()
  @IsRFC3339()
  old_key_until?: string;

  @ApiPropertyOptional({ format: 'date-time', description: 'End of the successor; without: that of the old key.' })
  @IfPresent()
  @IsRFC3339()
  expires_at?: string;
}
