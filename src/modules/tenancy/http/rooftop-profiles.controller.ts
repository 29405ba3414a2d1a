import {
  Body,
  Controller,
  Get,
  Headers,
  Inject,
  Param,
  Patch,
  Post,
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
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { KeepRooftops } from '../app/keep-rooftops.js';
import { requestedChange, requestedRooftop } from './requested-rooftop.js';
import { ChangeRooftopDto, CreateRooftopDto } from './rooftop.dto.js';
import { rooftopRecordView } from './rooftop-views.js';

const RETENTION = 'audit_event';

/** Rooftops of the organization: what they say of themselves. */
@ApiTags('rooftops')
@ApiBearerAuth()
@Controller('admin/v1/rooftops')
@Access({ kind: 'key', roles: ['admin'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class RooftopProfilesController {
  constructor(@Inject(KeepRooftops) private readonly rooftops: KeepRooftops) {}

  @Post()
  @AdminOperation({ name: 'rooftops.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Add a rooftop; it is served within two seconds on every process' })
  async create(
    @Body() dto: CreateRooftopDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const created = await this.rooftops.create(organizationOf(request), requestedRooftop(dto), originOf(request));
    reply.header('etag', entityTagOf(created.version));
    return rooftopRecordView(created);
  }

  @Get(':rooftop_id')
  @Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
  @AdminOperation({ name: 'rooftops.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show a rooftop; the ETag is its version' })
  async get(
    @Param('rooftop_id') rooftopId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const rooftop = await this.rooftops.find(organizationOf(request), rooftopId);
    reply.header('etag', entityTagOf(rooftop.version));
    return rooftopRecordView(rooftop);
  }

  @Patch(':rooftop_id')
  @AdminOperation({ name: 'rooftops.change', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Change what a rooftop says of itself: name, address, contacts, hours' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the rooftop as it was shown.' })
  async change(
    @Param('rooftop_id') rooftopId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() dto: ChangeRooftopDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const changed = await this.rooftops.change(
      organizationOf(request),
      rooftopId,
      requestedChange(dto),
      versionsNamed(ifMatch),
      originOf(request),
    );
    reply.header('etag', entityTagOf(changed.version));
    return rooftopRecordView(changed);
  }
}
