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
import { Failure } from '../../../kernel/failure/failure.js';
import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { entityTagOf, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ChangeOrganizationState } from '../app/change-organization-state.js';
import { CreateOrganization } from '../app/create-organization.js';
import { KeepOrganizations } from '../app/keep-organizations.js';
import {
  organizationEntryView,
  organizationView,
  requestedOrganization,
  requestedProfile,
} from './organization-views.js';
import { ChangeOrganizationDto, CreateOrganizationDto } from './organization.dto.js';

const RETENTION = 'audit_event';
const ORGANIZATION_ADMIN = { kind: 'key', roles: ['admin'], of: 'either' } as const;

/** Organizations: operators create, list and end them; each sees and changes itself alone. */
@ApiTags('organizations')
@ApiBearerAuth()
@Controller('admin/v1/organizations')
@Access({ kind: 'key', roles: ['admin'], of: 'platform' })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class OrganizationsController {
  constructor(
    @Inject(CreateOrganization) private readonly creating: CreateOrganization,
    @Inject(KeepOrganizations) private readonly keeping: KeepOrganizations,
    @Inject(ChangeOrganizationState) private readonly states: ChangeOrganizationState,
  ) {}

  @Post()
  @AdminOperation({ name: 'organizations.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Create an organization; the answer shows the token of its first administrator once' })
  async create(
    @Body() dto: CreateOrganizationDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { organization, key } = await this.creating.run(requestedOrganization(dto), originOf(request));
    reply.header('etag', entityTagOf(organization.version));
    return { ...organizationView(organization), key: { key_id: key.keyId, token: key.token } };
  }

  @Get()
  @Access({ kind: 'key', roles: ['admin', 'auditor'], of: 'platform' })
  @AdminOperation({ name: 'organizations.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List organizations by id, off-boarded ones included' })
  async list(@Query() query: PageQuery): Promise<object> {
    const found = await this.keeping.list(pageRequestOf(query));
    return pageOf('organizations', query, found, organizationEntryView, (last) => last.organizationId);
  }

  @Get(':organization_id')
  @Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'], of: 'either' })
  @AdminOperation({ name: 'organizations.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show an organization; the ETag is its version' })
  async get(
    @Param('organization_id') organizationId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    refuseForeign(request, organizationId);
    const organization = await this.keeping.find(organizationId);
    reply.header('etag', entityTagOf(organization.version));
    return organizationView(organization);
  }

  @Patch(':organization_id')
  @Access(ORGANIZATION_ADMIN)
  @AdminOperation({ name: 'organizations.change', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Change what an organization says of itself, and the defaults of its rooftops' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the organization as it was shown.' })
  async change(
    @Param('organization_id') organizationId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() dto: ChangeOrganizationDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    refuseForeign(request, organizationId);
    const by = { origin: originOf(request), operator: organizationOf(request) === PLATFORM_TENANT };
    const changed = await this.keeping.change(organizationId, requestedProfile(dto), versionsNamed(ifMatch), by);
    reply.header('etag', entityTagOf(changed.version));
    return organizationView(changed);
  }

  @Post(':organization_id/suspend')
  @HttpCode(200)
  @AdminOperation({ name: 'organizations.suspend', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'Take an organization out of service, within two seconds on every process' })
  async suspend(@Param('organization_id') organizationId: string, @Req() request: FastifyRequest): Promise<object> {
    return organizationView(await this.states.run(organizationId, 'suspended', originOf(request)));
  }

  @Post(':organization_id/resume')
  @HttpCode(200)
  @AdminOperation({ name: 'organizations.resume', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Bring a suspended organization back into service' })
  async resume(@Param('organization_id') organizationId: string, @Req() request: FastifyRequest): Promise<object> {
    return organizationView(await this.states.run(organizationId, 'active', originOf(request)));
  }

  @Post(':organization_id/offboard')
  @HttpCode(200)
  @AdminOperation({ name: 'organizations.offboard', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'End a suspended organization for good; ids, history and audit records stay' })
  async offboard(@Param('organization_id') organizationId: string, @Req() request: FastifyRequest): Promise<object> {
    return organizationView(await this.states.run(organizationId, 'offboarded', originOf(request)));
  }
}

/** To staff of an organization every other one looks like one that does not exist. */
function refuseForeign(request: FastifyRequest, organizationId: string): void {
  const own = organizationOf(request);
  if (own !== PLATFORM_TENANT && own !== organizationId)
    throw new Failure('resource.not_found', { reason: 'not_found', auditReason: 'foreign_organization' });
}
