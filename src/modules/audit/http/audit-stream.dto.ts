import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { IfPresent } from '../../../platform/http/if-present.js';
import { IsLine } from '../../../platform/http/is-line.js';
import { STREAM_FORMATS, type StreamFormat } from '../app/streams/audit-stream.js';

/** No user name in it. The egress guard lets plain http through for exempted hosts of the local profile alone. */
const PLACE = "^https?://[A-Za-z0-9.:\\[\\]-]{1,255}(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]{0,700})?$";

export class AuditStreamDto {
  @ApiProperty({ maxLength: 200 })
  @IsLine(200)
  name!: string;

  @ApiProperty({ pattern: PLACE, description: 'Where batches are posted. Public addresses over https only.' })
  @Matches(new RegExp(PLACE))
  url!: string;

  @ApiPropertyOptional({ enum: STREAM_FORMATS, default: 'records' })
  @IsOptional()
  @IsIn(STREAM_FORMATS)
  format?: StreamFormat;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, default: 0, description: 'Row of the log that is sent first.' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  from_seq?: number;
}

export class ChangeAuditStreamDto {
  @ApiPropertyOptional({ maxLength: 200 })
  @IfPresent()
  @IsLine(200)
  name?: string;

  @ApiPropertyOptional({ pattern: PLACE, description: 'Where batches are posted from now on, from the same row on.' })
  @IfPresent()
  @Matches(new RegExp(PLACE))
  url?: string;
}

export class StreamReplayDto {
  @ApiProperty({ type: 'integer', minimum: 0 })
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  from_seq!: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Row after the last one.' })
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  to_seq!: number;
}
