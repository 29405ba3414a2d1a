import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Length, Matches } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';
import { ISSUER_PATTERN } from './trusted-issuer.dto.js';

const MINTED_ID = new RegExp(MINTED_ID_PATTERN);
/** RFC 6749 appendix A.1, without a space; long enough for a client id metadata document. */
const CLIENT_ID = '^[\\x21-\\x7e]{1,512}$';
/** No control characters: a name is shown to people. */
const NAME = '^[^\\p{C}]+$';

/** An OAuth client of an issuer that the organization lets in. */
export class AgentClientDto {
  @ApiProperty({ pattern: ISSUER_PATTERN, description: 'Issuer of its tokens, exactly as they name it.' })
  @Matches(new RegExp(ISSUER_PATTERN))
  issuer!: string;

  @ApiProperty({ pattern: CLIENT_ID, description: 'What the issuer calls it: client_id or azp of its tokens.' })
  @Matches(new RegExp(CLIENT_ID))
  client_id!: string;

  @ApiProperty({ minLength: 1, maxLength: 200, description: 'For people.' })
  @Length(1, 200)
  @Matches(new RegExp(NAME, 'u'))
  name!: string;

  @ApiPropertyOptional({
    pattern: MINTED_ID_PATTERN,
    description: 'What its tokens carry. Without one they open nothing.',
  })
  @IsOptional()
  @Matches(MINTED_ID)
  grant_id?: string;
}

/** The grant that a client carries from now on. */
export class ClientGrantDto {
  @ApiProperty({ pattern: MINTED_ID_PATTERN })
  @Matches(MINTED_ID)
  grant_id!: string;
}
