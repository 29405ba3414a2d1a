import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Put,
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
import { ManageAgentClients } from '../app/manage-agent-clients.js';
import type { AgentClient } from '../domain/agent-client.js';
import { AgentClientDto, ClientGrantDto } from './agent-client.dto.js';
import { agentClientView } from './client-views.js';
import { changeBy } from './requested-access.js';

const RETENTION = 'access_history';

/** Which OAuth clients an organization lets in, and what their tokens carry. */
@ApiTags('access')
@ApiBearerAuth()
@Controller('admin/v1/agent-clients')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class AgentClientsController {
  constructor(@Inject(ManageAgentClients) private readonly clients: ManageAgentClients) {}

  @Post()
  @AdminOperation({ name: 'agent_clients.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Let an OAuth client in, with the grant that its tokens carry' })
  async create(
    @Body() dto: AgentClientDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    const { issuer, client_id: clientId, name, grant_id: grantId } = dto;
    const named = { issuer, clientId, name, ...(grantId === undefined ? {} : { grantId }) };
    return tagged(reply, await this.clients.create(organizationId, named, origin));
  }

  @Get()
  @AdminOperation({ name: 'agent_clients.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List OAuth clients by id, revoked ones included' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const { after, limit } = pageRequestOf(query);
    const found = await this.clients.list(changeBy(request).organizationId, { after, limit });
    return pageOf('agent_clients', query, found, agentClientView, (client) => client.agentClientId);
  }

  @Get(':agent_client_id')
  @AdminOperation({ name: 'agent_clients.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show an OAuth client; the ETag is its version' })
  async get(
    @Param('agent_client_id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return tagged(reply, await this.clients.get(changeBy(request).organizationId, id));
  }

  @Put(':agent_client_id/grant')
  @AdminOperation({ name: 'agent_clients.attach_grant', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Give an OAuth client a grant instead of the one it carries' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the client that is to be changed.' })
  async attachGrant(
    @Param('agent_client_id') id: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { grant_id: grantId }: ClientGrantDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    return tagged(reply, await this.clients.attachGrant(organizationId, id, grantId, versionsNamed(ifMatch), origin));
  }

  @Post(':agent_client_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'agent_clients.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'Let an OAuth client in no more, within two seconds on every process' })
  async revoke(@Param('agent_client_id') id: string, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    await this.clients.revoke(organizationId, id, origin);
    return { agent_client_id: id, revoked: true };
  }
}

function tagged(reply: FastifyReply, client: AgentClient): object {
  reply.header('etag', entityTagOf(client.version));
  return agentClientView(client);
}
