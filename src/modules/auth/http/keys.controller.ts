import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { entityTagOf, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { ChangeKey } from '../app/change-key.js';
import { IssueKey } from '../app/issue-key.js';
import { RevokeAccess } from '../app/revoke-access.js';
import { ChangeKeyDto, CreateKeyDto, RotateKeyDto } from './key.dto.js';
import { keyView } from './key-views.js';
import { changeBy, keyIssuerOf, requestedKey, requestedRotation } from './requested-access.js';

const RETENTION = 'access_history';

/** Keys of the organization, whoever holds them; those of operators, at the platform. */
@ApiTags('access')
@ApiBearerAuth()
@Controller('admin/v1/keys')
@Access({ kind: 'key', roles: ['admin'], of: 'either' })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class KeysController {
  constructor(
    @Inject(IssueKey) private readonly issuing: IssueKey,
    @Inject(ChangeKey) private readonly changing: ChangeKey,
    @Inject(RevokeAccess) private readonly revoking: RevokeAccess,
  ) {}

  @Post()
  @AdminOperation({ name: 'keys.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Issue a key for a named person or program; the answer shows its token once' })
  async create(@Body() dto: CreateKeyDto, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId } = changeBy(request);
    const { key, token } = await this.issuing.run(organizationId, requestedKey(dto), keyIssuerOf(request));
    return { ...keyView(key), token };
  }

  @Get()
  @AdminOperation({ name: 'keys.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List keys by id, ended ones included, without secrets' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const keys = await this.changing.list(changeBy(request).organizationId, pageRequestOf(query));
    return pageOf('keys', query, keys, keyView, (key) => key.keyId);
  }

  @Get(':key_id')
  @AdminOperation({ name: 'keys.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a key without its secret; the ETag is its version' })
  async get(
    @Param('key_id') keyId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const key = await this.changing.find(changeBy(request).organizationId, keyId);
    reply.header('etag', entityTagOf(key.version));
    return keyView(key);
  }

  @Patch(':key_id')
  @AdminOperation({ name: 'keys.change', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Change who holds a key and from which networks it may be used' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the key as it was shown.' })
  async change(
    @Param('key_id') keyId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { name, networks }: ChangeKeyDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    const change = { ...(name === undefined ? {} : { name }), ...(networks === undefined ? {} : { networks }) };
    const key = await this.changing.run(organizationId, keyId, change, versionsNamed(ifMatch), origin);
    reply.header('etag', entityTagOf(key.version));
    return keyView(key);
  }

  @Post(':key_id/rotate')
  @AdminOperation({ name: 'keys.rotate', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Issue the successor of a key; the old one works until a stated time' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the key as it was shown.' })
  async rotate(
    @Param('key_id') keyId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() dto: RotateKeyDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const { organizationId } = changeBy(request);
    const [requested, expected] = [requestedRotation(dto), versionsNamed(ifMatch)];
    const issued = await this.issuing.rotate(organizationId, keyId, requested, expected, keyIssuerOf(request));
    return { ...keyView(issued.key), token: issued.token };
  }

  @Post(':key_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'keys.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'End a key, within two seconds on every process' })
  async revoke(@Param('key_id') keyId: string, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    await this.revoking.key(organizationId, keyId, origin);
    return { key_id: keyId, revoked: true };
  }
}
