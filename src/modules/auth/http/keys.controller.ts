import { Controller, HttpCode, Inject, Param, Post, Req, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { RevokeAccess } from '../app/revoke-access.js';
import { changeBy } from './requested-access.js';

/** Keys of the organization, whoever holds them. */
@ApiTags('access')
@ApiBearerAuth()
@Controller('admin/v1/keys')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
export class KeysController {
  constructor(@Inject(RevokeAccess) private readonly revoking: RevokeAccess) {}

  @Post(':key_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'keys.revoke', audit: 'change', retention: 'audit_event' })
  @ApiOperation({ summary: 'End a key, within two seconds on every process' })
  async revoke(@Param('key_id') keyId: string, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    await this.revoking.key(organizationId, keyId, origin);
    return { key_id: keyId, revoked: true };
  }
}
