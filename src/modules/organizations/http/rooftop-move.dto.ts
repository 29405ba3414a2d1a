import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { MINTED_ID_PATTERN } from '../../../kernel/ids.js';

const MINTED_ID = new RegExp(MINTED_ID_PATTERN);
const MOVE_ID = '^move\\.[0-9a-z]{26}$';

export class OfferRooftopDto {
  @ApiProperty({ pattern: MINTED_ID_PATTERN })
  @Matches(MINTED_ID)
  rooftop_id!: string;

  @ApiProperty({ pattern: MINTED_ID_PATTERN, description: 'Who is to get it.' })
  @Matches(MINTED_ID)
  to_organization_id!: string;
}

/** What the offering side tells: all three must fit its offer, or nothing can be carried out. */
export class AcceptRooftopDto {
  @ApiProperty({ pattern: MOVE_ID, description: 'Id of the offer.' })
  @Matches(new RegExp(MOVE_ID))
  move_id!: string;

  @ApiProperty({ pattern: MINTED_ID_PATTERN })
  @Matches(MINTED_ID)
  rooftop_id!: string;

  @ApiProperty({ pattern: MINTED_ID_PATTERN, description: 'Who has it.' })
  @Matches(MINTED_ID)
  from_organization_id!: string;
}
