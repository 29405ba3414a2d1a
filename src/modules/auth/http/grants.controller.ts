import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
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
import { taggedWith, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { IssueGrant } from '../app/issue-grant.js';
import { ListAccess } from '../app/list-access.js';
import { RevokeAccess } from '../app/revoke-access.js';
import { grantView } from './access-views.js';
import { GrantDto } from './grant.dto.js';
import { requestedGrant, changeBy } from './requested-access.js';

const RETENTION = 'access_history';

/** Which agents an organization lets in. */
@ApiTags('access')
@ApiBearerAuth()
@Controller('admin/v1/grants')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class GrantsController {
  constructor(
    @Inject(IssueGrant) private readonly issuing: IssueGrant,
    @Inject(ListAccess) private readonly listing: ListAccess,
    @Inject(RevokeAccess) private readonly revoking: RevokeAccess,
  ) {}

  @Post()
  @AdminOperation({ name: 'grants.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Let an agent in; the answer shows the token of its key once' })
  async create(@Body() dto: GrantDto, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    const { grant, key } = await this.issuing.run(organizationId, requestedGrant(dto), origin);
    return { ...grantView(grant), key: { key_id: key.keyId, token: key.token } };
  }

  @Get()
  @AdminOperation({ name: 'grants.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List grants in their newest version' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const grants = await this.listing.grants(changeBy(request).organizationId, pageRequestOf(query));
    return pageOf('grants', query, grants, grantView, (grant) => grant.grantId);
  }

  @Get(':grant_id')
  @AdminOperation({ name: 'grants.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a grant in its newest version; the ETag is that version' })
  async get(
    @Param('grant_id') grantId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const grant = await this.listing.grant(changeBy(request).organizationId, grantId);
    return taggedWith(reply, grant.version, grantView(grant));
  }

  @Post(':grant_id/versions')
  @AdminOperation({ name: 'grants.revise', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Change a grant by a new version; its keys carry that from now on' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the grant as it was shown.' })
  async revise(
    @Param('grant_id') grantId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() dto: GrantDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    const expected = versionsNamed(ifMatch);
    const grant = await this.issuing.revise(organizationId, grantId, requestedGrant(dto), expected, origin);
    return taggedWith(reply, grant.version, grantView(grant));
  }

  @Post(':grant_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'grants.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'End a grant in all its versions, within two seconds on every process' })
  async revoke(@Param('grant_id') grantId: string, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    await this.revoking.grant(organizationId, grantId, origin);
    return { grant_id: grantId, revoked: true };
  }
}
