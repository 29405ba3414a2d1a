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
import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import { rfc3339 } from '../../../kernel/time.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { PageQuery, pageOf, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { MoveRooftop } from '../app/move-rooftop.js';
import type { RooftopMove, RooftopTransfer } from '../app/rooftop-transfer-store.js';
import { AcceptRooftopDto, OfferRooftopDto } from './rooftop-move.dto.js';

const RETENTION = 'audit_event';

/** Rooftops that change hands: offered by one organization, accepted by another, carried out by an operator. */
@ApiTags('organizations')
@ApiBearerAuth()
@Controller('admin/v1/rooftop-moves')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class RooftopMovesController {
  constructor(@Inject(MoveRooftop) private readonly moving: MoveRooftop) {}

  @Post()
  @AdminOperation({ name: 'rooftop_moves.offer', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Offer a rooftop to another organization; tell it the id of the offer' })
  async offer(@Body() dto: OfferRooftopDto, @Req() request: FastifyRequest): Promise<object> {
    const { rooftop_id: rooftopId, to_organization_id: to } = dto;
    return halfView(await this.moving.offer(organizationOf(request), rooftopId, to, originOf(request)));
  }

  @Post('acceptances')
  @AdminOperation({ name: 'rooftop_moves.accept', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Accept a rooftop; what is named must fit the offer of the other organization' })
  async accept(@Body() dto: AcceptRooftopDto, @Req() request: FastifyRequest): Promise<object> {
    const { move_id: moveId, rooftop_id: rooftopId, from_organization_id: fromOrganizationId } = dto;
    const accepted = { moveId, rooftopId, fromOrganizationId };
    return halfView(await this.moving.accept(organizationOf(request), accepted, originOf(request)));
  }

  @Post(':move_id/withdraw')
  @HttpCode(200)
  @AdminOperation({ name: 'rooftop_moves.withdraw', audit: 'change', change: 'revocation', retention: RETENTION })
  @ApiOperation({ summary: 'Take the own offer or acceptance back' })
  async withdraw(@Param('move_id') moveId: string, @Req() request: FastifyRequest): Promise<object> {
    return halfView(await this.moving.withdraw(organizationOf(request), moveId, originOf(request)));
  }

  @Get()
  @Access({ kind: 'key', roles: ['admin', 'auditor'], of: 'either' })
  @AdminOperation({ name: 'rooftop_moves.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List own offers and acceptances; for operators, all moves with both halves' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const own = organizationOf(request);
    const page = pageRequestOf(query);
    const found = own === PLATFORM_TENANT ? await this.moving.moves(page) : await this.moving.halves(own, page);
    const view = (move: RooftopTransfer | RooftopMove): object => ('side' in move ? halfView(move) : moveView(move));
    return pageOf('rooftop_moves', query, found, view, (last) => last.moveId);
  }

  @Post(':move_id/carry-out')
  @HttpCode(200)
  @Access({ kind: 'key', roles: ['admin'], of: 'platform' })
  @AdminOperation({ name: 'rooftop_moves.carry_out', audit: 'change', change: 'step', retention: RETENTION })
  @ApiOperation({ summary: 'Move the rooftop, once both organizations have agreed' })
  async carryOut(@Param('move_id') moveId: string, @Req() request: FastifyRequest): Promise<object> {
    const { rooftopId, fromOrganizationId, toOrganizationId, units } = await this.moving.carryOut(
      moveId,
      originOf(request),
    );
    return {
      move_id: moveId,
      rooftop_id: rooftopId,
      from_organization_id: fromOrganizationId,
      to_organization_id: toOrganizationId,
      units,
    };
  }
}

function halfView(half: RooftopTransfer): object {
  return {
    move_id: half.moveId,
    side: half.side,
    rooftop_id: half.rooftopId,
    [half.side === 'offer' ? 'to_organization_id' : 'from_organization_id']: half.otherOrganizationId,
    created_at: rfc3339(half.createdAt),
    expires_at: rfc3339(half.expiresAt),
    withdrawn_at: timeOf(half.withdrawnAt),
    completed_at: timeOf(half.completedAt),
  };
}

function moveView(move: RooftopMove): object {
  return {
    move_id: move.moveId,
    rooftop_id: move.rooftopId,
    from_organization_id: move.fromOrganizationId,
    to_organization_id: move.toOrganizationId,
    offered_at: rfc3339(move.offeredAt),
    expires_at: rfc3339(move.expiresAt),
    accepted_at: timeOf(move.acceptedAt),
    withdrawn_at: timeOf(move.withdrawnAt),
    completed_at: timeOf(move.completedAt),
  };
}

const timeOf = (time: number | null): string | null => (time === null ? null : rfc3339(time));
