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
import { PendingAction } from '../../../platform/http/pending-action.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { ListAccess } from '../app/list-access.js';
import { RecordDelegation } from '../app/record-delegation.js';
import { RevokeAccess } from '../app/revoke-access.js';
import { delegationView } from './access-views.js';
import { DelegationDto } from './grant.dto.js';
import { requestedDelegation, changeBy } from './requested-access.js';

const RETENTION = 'access_history';

/** Group-level delegations: recorded on their own, before a grant can rest on one. */
@ApiTags('access')
@ApiBearerAuth()
@Controller('admin/v1/group-delegations')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class GroupDelegationsController {
  constructor(
    @Inject(RecordDelegation) private readonly recording: RecordDelegation,
    @Inject(ListAccess) private readonly listing: ListAccess,
    @Inject(RevokeAccess) private readonly revoking: RevokeAccess,
  ) {}

  @Post()
  @AdminOperation({ name: 'delegations.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({
    summary: 'Record a group-level delegation; one that covers all is a draft and waits for approval (202)',
  })
  async create(@Body() dto: DelegationDto, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    const { delegation, approval } = await this.recording.run(organizationId, requestedDelegation(dto), origin);
    const view = delegationView(delegation);
    return approval === undefined ? view : new PendingAction(view, approval);
  }

  @Get()
  @AdminOperation({ name: 'delegations.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List group-level delegations' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.listing.delegations(changeBy(request).organizationId, pageRequestOf(query));
    return pageOf('delegations', query, found, delegationView, (delegation) => delegation.delegationId);
  }

  @Post(':delegation_id/activate')
  @HttpCode(200)
  @AdminOperation({ name: 'delegations.activate', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Put an approved draft in force' })
  async activate(@Param('delegation_id') delegationId: string, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    return delegationView(await this.recording.activate(organizationId, delegationId, origin));
  }

  @Post(':delegation_id/revoke')
  @HttpCode(200)
  @AdminOperation({ name: 'delegations.revoke', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'End a delegation and with it every grant that rests on it' })
  async revoke(@Param('delegation_id') delegationId: string, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, origin } = changeBy(request);
    await this.revoking.delegation(organizationId, delegationId, origin);
    return { delegation_id: delegationId, revoked: true };
  }
}
