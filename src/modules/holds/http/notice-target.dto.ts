import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, Length, Matches } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { IfPresent } from '../../../platform/http/if-present.js';
import type { NoticeTarget } from '../domain/notice-target.js';

const KINDS = ['webhook', 'mail'] as const;
const PURPOSES = ['notices', 'escalations'] as const;
const PRINTABLE = '^[\\x21-\\x7e]+$';

/** Where notices of holds are sent. */
export class NoticeTargetDto {
  @ApiProperty({ enum: KINDS })
  @IsIn(KINDS)
  kind!: NoticeTarget['kind'];

  @ApiProperty({
    minLength: 3,
    maxLength: 1024,
    pattern: PRINTABLE,
    description: 'URL of the webhook, or mail address.',
  })
  @Length(3, 1024)
  @Matches(new RegExp(PRINTABLE))
  address!: string;

  @ApiPropertyOptional({
    enum: PURPOSES,
    default: 'notices',
    description: '`notices`: what persons are told and reminded of. `escalations`: that somebody does not answer.',
  })
  @IfPresent()
  @IsIn(PURPOSES)
  purpose?: NoticeTarget['purpose'];

  @ApiPropertyOptional({ description: 'Whose own address it is: it gets what this person is told, and nothing else.' })
  @IfPresent()
  @Matches(new RegExp(MINTED_ID_PATTERN))
  person_id?: string;
}
