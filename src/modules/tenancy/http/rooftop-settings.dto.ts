import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsObject, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { RooftopSettings } from '../domain/rooftop-settings.js';

/** A thin frame: the document itself is protocol-shaped JSON and is checked against its JSON Schema by the use case. */
export class ChangeSettingsDto {
  @ApiProperty({ type: Object, description: 'The whole settings document.', ...openApiOf(RooftopSettings) })
  @Transform(({ obj }: { obj: { settings?: unknown } }) => obj.settings) // as it came: no member is renamed, dropped or converted
  @IsObject()
  settings!: object;

  @ApiProperty({ minLength: 1, maxLength: 500, description: 'Why the settings change. Kept with the version.' })
  @IsString()
  @Matches(/\S/, { message: 'must not be blank' })
  @MinLength(1)
  @MaxLength(500)
  reason!: string;
}

/** The JSON Schema in the form that the API description takes: plain data, without the symbols of its author. */
function openApiOf(schema: object): object {
  return JSON.parse(JSON.stringify(schema)) as object;
}
