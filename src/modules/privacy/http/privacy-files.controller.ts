import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Req, Res, UsePipes } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { AdminAudit } from '../../../platform/http/admin-audit.js';
import { adminValidationPipe } from '../../../platform/http/dto-validation.js';
import { contextOf, type FastifyReply, type FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf } from '../../../platform/http/staff-request.js';
import { type AccessFile, AccessFiles } from '../app/access-files.js';

const RETENTION = 'privacy_request';

/** Files of access requests. They hold everything that is kept of somebody, so every look at one is recorded. */
@ApiTags('privacy')
@ApiBearerAuth()
@Controller('admin/v1/privacy-requests/:request_id')
@Access({ kind: 'key', roles: ['compliance'] })
@UsePipes(adminValidationPipe())
export class PrivacyFilesController {
  constructor(
    @Inject(AccessFiles) private readonly files: AccessFiles,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  @Get('manifest')
  @AdminOperation({ name: 'privacy.requests.manifest', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Download the manifest of the file: how large it is, its SHA-256, when it expires' })
  @ApiProduces('application/json')
  async manifest(
    @Param('request_id') requestId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { manifest } = await this.lookAt(request, requestId, 'privacy.requests.manifest');
    await reply.header('content-type', 'application/json; charset=utf-8').send(manifest);
  }

  @Get('file')
  @AdminOperation({ name: 'privacy.requests.download', audit: 'read', retention: RETENTION })
  @ApiOperation({ summary: 'Download the file of an access request' })
  @ApiProduces('application/x-ndjson')
  async download(
    @Param('request_id') requestId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await this.lookAt(request, requestId, 'privacy.requests.download');
    reply.header('content-type', 'application/x-ndjson');
    reply.header('content-disposition', 'attachment; filename="personal-data.ndjson"');
    reply.header('content-length', file.bytes);
    reply.header('cache-control', 'no-store');
    await reply.send(Readable.from(this.files.content(organizationOf(request), file)));
  }

  /** The envelope records looks of other routes; these two have none. */
  private async lookAt(request: FastifyRequest, requestId: string, operation: string): Promise<AccessFile> {
    try {
      const found = await this.files.find(organizationOf(request), requestId);
      await this.audit.read(contextOf(request), operation);
      return found;
    } catch (error) {
      await this.audit.failed(contextOf(request), operation, Failure.from(error));
      throw error;
    }
  }
}
