import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsInt, IsObject, IsOptional, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { DealerPolicyDocument } from '../../tenancy/index.js';

const MAX_VERSION = 2_147_483_647;

/** Why something is done, in the words of a person. */
export class PolicyReasonDto {
  @ApiProperty({ minLength: 1, maxLength: 500, description: 'Why. Kept with the version.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;
}

/** A thin frame: the document itself is checked against its JSON Schema by the use case. */
export class PolicyDraftDto extends PolicyReasonDto {
  @ApiProperty({ type: Object, description: 'The whole policy document.', ...plain(DealerPolicyDocument) })
  @Transform(({ obj }: { obj: { document?: unknown } }) => obj.document) // as it came: no member is renamed, dropped or converted
  @IsObject()
  document!: object;
}

export class PolicyDifferenceQuery {
  @ApiPropertyOptional({
    minimum: 0,
    description: 'The version to compare with; 0 is the built-in policy. Default: the one before.',
  })
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(MAX_VERSION)
  against?: number;
}

/** The JSON Schema as plain data, without the symbols of its author. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema)) as object;
}
