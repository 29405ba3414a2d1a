import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { LIMITS } from '../../../kernel/limits.js';
import { IfPresent } from '../../../platform/http/if-present.js';

export class RotateSecretDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LIMITS.webhookSecretOverlapMaxSeconds.value,
    default: LIMITS.webhookSecretOverlapDefaultSeconds.value,
    description: 'How long deliveries carry the signature of the secret before, too. 0: it ends at once.',
  })
  @IfPresent()
  @IsInt()
  @Min(0)
  @Max(LIMITS.webhookSecretOverlapMaxSeconds.value)
  overlap_seconds?: number;
}
