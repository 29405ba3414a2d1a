import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { ManageTrustedIssuers } from '../app/manage-trusted-issuers.js';
import { requestedTrust, trustedIssuerView } from './client-views.js';
import { changeBy } from './requested-access.js';
import { TrustedIssuerDto } from './trusted-issuer.dto.js';

const RETENTION = 'access_history';

/** Whose access tokens the organization accepts, beside those of the embedded authorization server. */
@ApiTags('access')
@ApiBearerAuth()
@Controller('admin/v1/trusted-issuers')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class TrustedIssuersController {
  constructor(@Inject(ManageTrustedIssuers) private readonly issuers: ManageTrustedIssuers) {}

  @Post()
  @AdminOperation({ name: 'trusted_issuers.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Accept the access tokens of an authorization server' })
  async create(@Body() dto: TrustedIssuerDto, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    return trustedIssuerView(await this.issuers.add(organizationId, requestedTrust(dto), origin));
  }

  @Get()
  @AdminOperation({ name: 'trusted_issuers.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List authorization servers whose tokens are or were accepted' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after, limit } = pageRequestOf(query);
    const found = await this.issuers.list(changeBy(request).organizationId, { after, limit });
    return pageOf('trusted_issuers', query, found, trustedIssuerView, (issuer) => issuer.trustedIssuerId);
  }

  @Post(':trusted_issuer_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'trusted_issuers.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'Accept no more tokens of it, within two seconds on every process' })
  async revoke(@Param('trusted_issuer_id') id: string, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    await this.issuers.revoke(organizationId, id, origin);
    return { trusted_issuer_id: id, revoked: true };
  }
}
