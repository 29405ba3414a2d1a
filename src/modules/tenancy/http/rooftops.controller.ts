import {
  Body,
  Controller,
  Get,
  Headers,
  Inject,
  Param,
  Put,
  Query,
  Req,
  Res,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { ChangeRooftopSettings } from '../app/change-rooftop-settings.js';
import { RooftopSettingsHistory } from '../app/rooftop-settings-history.js';
import { entityTagOf, versionsNamed } from '../../../platform/http/entity-tag.js';
import { ChangeSettingsDto } from './rooftop-settings.dto.js';
import { rooftopView, versionEntryView, versionView } from './rooftop-views.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';

const RETENTION = 'policy_version';

/** Rooftops of the key's organization and what they decide about their answers. */
@ApiTags('rooftops')
@ApiBearerAuth()
@Controller('admin/v1/rooftops')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class RooftopsController {
  constructor(
    @Inject(RooftopSettingsHistory) private readonly history: RooftopSettingsHistory,
    @Inject(ChangeRooftopSettings) private readonly changing: ChangeRooftopSettings,
  ) {}

  @Get()
  @AdminOperation({ name: 'rooftops.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List rooftops by id' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const rooftops = await this.history.rooftops(organizationOf(request), pageRequestOf(query));
    return pageOf('rooftops', query, rooftops, rooftopView, (last) => last.rooftopId);
  }

  @Get(':rooftop_id/settings')
  @AdminOperation({ name: 'rooftops.get_settings', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show the settings in force; the ETag is their version' })
  async settings(
    @Param('rooftop_id') rooftopId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const current = await this.history.current(organizationOf(request), rooftopId);
    reply.header('etag', entityTagOf(current.version));
    return versionView(current);
  }

  @Put(':rooftop_id/settings')
  @Access({ kind: 'key', roles: ['admin'] })
  @AdminOperation({ name: 'rooftops.change_settings', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Replace the settings, all of them, with a reason' })
  @ApiHeader({ name: 'If-Match', required: true, description: 'ETag of the settings that are to be replaced.' })
  async change(
    @Param('rooftop_id') rooftopId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { settings, reason }: ChangeSettingsDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const requested = { rooftopId, settings, reason, expectedVersions: versionsNamed(ifMatch) };
    const changed = await this.changing.run(organizationOf(request), requested, originOf(request));
    reply.header('etag', entityTagOf(changed.version));
    return versionView(changed);
  }

  @Get(':rooftop_id/settings/versions')
  @AdminOperation({ name: 'rooftops.list_settings_versions', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List versions of the settings, newest first: who changed them, when and why' })
  async versions(
    @Param('rooftop_id') rooftopId: string,
    @Query() query: PageQuery,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const { after, limit } = pageRequestOf(query);
    const page = after === undefined ? { limit } : { before: Number(after), limit };
    const versions = await this.history.versions(organizationOf(request), rooftopId, page);
    return pageOf('versions', query, versions, versionEntryView, (last) => last.version);
  }

  @Get(':rooftop_id/settings/versions/:version')
  @AdminOperation({ name: 'rooftops.get_settings_version', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show the settings of one version' })
  async version(
    @Param('rooftop_id') rooftopId: string,
    @Param('version') version: string,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    if (!/^[1-9]\d{0,8}$/.test(version)) throw new Failure('resource.not_found', { reason: 'not_found' });
    return versionView(await this.history.version(organizationOf(request), rooftopId, Number(version)));
  }
}
