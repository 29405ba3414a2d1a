import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Length, Matches } from 'class-validator';
import { IfPresent } from '../../../platform/http/if-present.js';
import type { AuditTargetKind } from '../domain/audit-target.js';

const KINDS = ['witness', 'webhook', 'mail'] as const;
const PRINTABLE = '^[\\x21-\\x7e]+$';
const ZONE = /^[A-Za-z0-9_+/-]+$/;

/** Where states of the audit log go. */
export class AuditTargetDto {
  @ApiProperty({
    enum: KINDS,
    description:
      '`witness` cosigns every checkpoint (C2SP tlog-witness); `webhook` and `mail` get a statement of each day.',
  })
  @IsIn(KINDS)
  kind!: AuditTargetKind;

  @ApiProperty({
    minLength: 3,
    maxLength: 1024,
    pattern: PRINTABLE,
    description: 'URL of the webhook, URL before `/add-checkpoint` of a witness, or mail address.',
  })
  @Length(3, 1024)
  @Matches(new RegExp(PRINTABLE))
  address!: string;

  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 512,
    description: 'Verifier key of a witness, as it shows it when it starts: name+id+key.',
  })
  @IsOptional()
  @Length(1, 512)
  @Matches(new RegExp(PRINTABLE))
  witness_key?: string;

  @ApiPropertyOptional({ maxLength: 64, default: 'UTC', description: 'IANA zone whose days the statements count.' })
  @IsOptional()
  @Length(1, 64)
  @Matches(ZONE)
  time_zone?: string;
}

/** What is changed of a target. Another kind, or another key of a witness, is another target. */
export class ChangeAuditTargetDto {
  @ApiPropertyOptional({ minLength: 3, maxLength: 1024, pattern: PRINTABLE, description: 'As its kind asks for.' })
  @IfPresent()
  @Length(3, 1024)
  @Matches(new RegExp(PRINTABLE))
  address?: string;

  @ApiPropertyOptional({ maxLength: 64, description: 'IANA zone whose days the statements count from now on.' })
  @IfPresent()
  @Length(1, 64)
  @Matches(ZONE)
  time_zone?: string;
}
