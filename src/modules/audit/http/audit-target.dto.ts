import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Length, Matches } from 'class-validator';
import type { AuditTargetKind } from '../domain/audit-target.js';

const KINDS = ['witness', 'webhook', 'mail'] as const;
const PRINTABLE = '^[\\x21-\\x7e]+$';

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
  @Matches(/^[A-Za-z0-9_+/-]+$/)
  time_zone?: string;
}
