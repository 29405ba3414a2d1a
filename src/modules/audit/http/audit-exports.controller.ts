import { Readable } from 'node:stream';
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
  Res,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { AdminAudit } from '../../../platform/http/admin-audit.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import { pageOf, PageQuery, pageRequestOf } from '../../../platform/http/page-query.js';
import { contextOf, type FastifyReply, type FastifyRequest } from '../../../platform/http/request-context.js';
import { originOf, staffOf } from '../../../platform/http/staff-request.js';
import type { AuditExport } from '../app/exports/audit-export.js';
import { AuditExports } from '../app/exports/audit-exports.js';
import { fileNameOf } from '../app/exports/export-manifest.js';
import { AuditExportDto } from './audit-export.dto.js';
import { exportView } from './audit-export-view.js';
import { filterOf } from './audit-filter.js';

const RETENTION = 'audit_export';
const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8', ocsf: 'application/x-ndjson' } as const;

/** Files of the trail. They hold whole records, so they are the auditors'. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit/exports')
@Access({ kind: 'key', roles: ['auditor'] })
@UsePipes(adminValidationPipe())
export class AuditExportsController {
  constructor(
    @Inject(AuditExports) private readonly exports: AuditExports,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  @Post()
  @HttpCode(202)
  @UseInterceptors(EnvelopeInterceptor)
  @AdminOperation({ name: 'audit.exports.create', audit: 'change', change: 'creation', retention: RETENTION })
  @ApiOperation({ summary: 'Ask for a file of the trail; it is written in the background' })
  async create(@Body() dto: AuditExportDto, @Req() request: FastifyRequest): Promise<object> {
    const { organizationId, role } = staffOf(request);
    const wanted = { format: dto.format, filter: filterOf(dto.filter ?? {}, role) };
    return exportView(await this.exports.request(organizationId, wanted, originOf(request)));
  }

  @Get()
  @UseInterceptors(EnvelopeInterceptor)
  @AdminOperation({ name: 'audit.exports.list', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'List exports, newest first' })
  async list(@Query() query: PageQuery, @Req() request: FastifyRequest): Promise<object> {
    const found = await this.exports.list(staffOf(request).organizationId, pageRequestOf(query));
    return pageOf('exports', query, found, exportView, (last) => last.exportId);
  }

  @Get(':export_id')
  @UseInterceptors(EnvelopeInterceptor)
  @AdminOperation({ name: 'audit.exports.get', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Show how far an export is, and its manifest when it is ready' })
  async get(@Param('export_id') exportId: string, @Req() request: FastifyRequest): Promise<object> {
    return exportView(await this.exports.find(staffOf(request).organizationId, exportId));
  }

  @Get(':export_id/manifest')
  @AdminOperation({ name: 'audit.exports.manifest', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Download the manifest, byte for byte as its record has its hash' })
  @ApiProduces('application/json')
  async manifest(
    @Param('export_id') exportId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { manifest } = await this.lookAt(request, exportId, 'audit.exports.manifest');
    await reply.header('content-type', 'application/json; charset=utf-8').send(manifest);
  }

  @Get(':export_id/file')
  @AdminOperation({ name: 'audit.exports.download', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Download the file' })
  @ApiProduces('application/x-ndjson', 'text/csv')
  async download(
    @Param('export_id') exportId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const found = await this.lookAt(request, exportId, 'audit.exports.download');
    reply.header('content-type', TYPES[found.format]);
    reply.header('content-disposition', `attachment; filename="${fileNameOf(found)}"`);
    reply.header('content-length', found.bytes);
    reply.header('cache-control', 'no-store');
    await reply.send(Readable.from(this.exports.content(staffOf(request).organizationId, exportId)));
  }

  /** The envelope records looks of other routes; these two have none. */
  private async lookAt(
    request: FastifyRequest,
    exportId: string,
    operation: string,
  ): Promise<AuditExport & { readonly manifest: string }> {
    try {
      const found = await this.exports.ready(staffOf(request).organizationId, exportId);
      await this.audit.read(contextOf(request), operation);
      return found;
    } catch (error) {
      await this.audit.failed(contextOf(request), operation, Failure.from(error));
      throw error;
    }
  }
}
