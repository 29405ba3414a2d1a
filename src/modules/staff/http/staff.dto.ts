import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, Matches, MaxLength, MinLength, ValidateIf } from 'class-validator';
import { STAFF_ROLES, type StaffRole } from '../domain/staff-record.js';

/** One line of print, without control characters. */
const NAME = /^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u;

/** A new person. With `issuer` and `subject` one who signs in at an outside identity provider. */
export class NewPersonDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 120,
    description: 'For staff to tell persons apart; not in the audit trail.',
  })
  @IsString()
  @Matches(NAME, { message: 'must be one line of print' })
  @MinLength(1)
  @MaxLength(120)
  name!: string;

  @ApiProperty({ enum: STAFF_ROLES })
  @IsIn(STAFF_ROLES)
  role!: StaffRole;

  @ApiPropertyOptional({ maxLength: 500, description: 'Issuer identifier, as its tokens name it. With subject.' })
  @ValidateIf((o: NewPersonDto) => o.issuer !== undefined || o.subject !== undefined)
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  issuer?: string;

  @ApiPropertyOptional({ maxLength: 255, description: 'Subject at the issuer. With issuer.' })
  @ValidateIf((o: NewPersonDto) => o.issuer !== undefined || o.subject !== undefined)
  @IsString()
  @MinLength(1)
  @MaxLength(255)
  subject?: string;
}

/** Members that are left out stay as they are. */
export class ChangePersonDto {
  @ApiPropertyOptional({ minLength: 1, maxLength: 120 })
  @ValidateIf((o: ChangePersonDto) => o.name !== undefined)
  @IsString()
  @Matches(NAME, { message: 'must be one line of print' })
  @MinLength(1)
  @MaxLength(120)
  name?: string;

  @ApiPropertyOptional({ enum: STAFF_ROLES, description: 'Nobody changes their own.' })
  @ValidateIf((o: ChangePersonDto) => o.role !== undefined)
  @IsIn(STAFF_ROLES)
  role?: StaffRole;

  @ApiPropertyOptional({ description: 'A disabled person is out within two seconds.' })
  @ValidateIf((o: ChangePersonDto) => o.disabled !== undefined)
  @IsBoolean()
  disabled?: boolean;
}
