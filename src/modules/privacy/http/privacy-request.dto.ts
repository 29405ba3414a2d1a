import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsISO8601, IsOptional, Matches } from 'class-validator';
import { SUBJECT_KINDS, type SubjectKind } from '../../../kernel/ports/subject-data.js';
import { IfPresent } from '../../../platform/http/if-present.js';
import { IsLine } from '../../../platform/http/is-line.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { EXTENSION_REASONS, type ExtensionReason } from '../domain/answer-deadline.js';
import {
  ASKED_BY,
  type AskedBy,
  type Refusal,
  REFUSALS,
  REQUEST_KINDS,
  REQUEST_STATES,
  type RequestKind,
  type RequestState,
} from '../domain/privacy-request.js';

export class PrivacyRequestDto {
  @ApiProperty({ enum: REQUEST_KINDS })
  @IsIn(REQUEST_KINDS)
  kind!: RequestKind;

  @ApiProperty({
    enum: SUBJECT_KINDS,
    description: 'What the id is: staff, subject of grants, agent client, key, target.',
  })
  @IsIn(SUBJECT_KINDS)
  subject_kind!: SubjectKind;

  @ApiProperty({
    description: 'Id under which the organization knows whom it is about. Kept sealed, and never in a list.',
  })
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/)
  subject_id!: string;

  @ApiProperty({ enum: ASKED_BY })
  @IsIn(ASKED_BY)
  asked_by!: AskedBy;

  @ApiProperty({ maxLength: 200, description: 'Where the letter is kept: an id of yours, no name.' })
  @IsLine(200)
  asked_reference!: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When it came; now unless said. The deadline counts from then.',
  })
  @IfPresent()
  @IsISO8601({ strict: true })
  received_at?: string;
}

export class PrivacyVerificationDto {
  @ApiProperty({ maxLength: 200, description: 'Where the proof of who asks is kept: an id of yours, no name.' })
  @IsLine(200)
  reference!: string;
}

export class PrivacyExtensionDto {
  @ApiProperty({ enum: EXTENSION_REASONS, description: 'Why more time is reasonably necessary.' })
  @IsIn(EXTENSION_REASONS)
  reason!: ExtensionReason;

  @ApiProperty({
    maxLength: 200,
    description: 'Where the notice to whoever asked is kept, with the reason in it: an id of yours, no name.',
  })
  @IsLine(200)
  notice_reference!: string;
}

export class PrivacyRefusalDto {
  @ApiProperty({ enum: REFUSALS })
  @IsIn(REFUSALS)
  reason!: Refusal;
}

export class PrivacyRequestQuery extends PageQuery {
  @ApiPropertyOptional({ enum: REQUEST_STATES })
  @IsOptional()
  @IsIn(REQUEST_STATES)
  state?: RequestState;
}
