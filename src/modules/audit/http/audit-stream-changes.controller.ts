import {
  Body,
  Controller,
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
import { taggedWith, versionsNamed } from '../../../platform/http/entity-tag.js';
import { EnvelopeInterceptor } from '../../../platform/http/envelope.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { ChangeAuditStream, type StreamToChange } from '../app/streams/change-audit-stream.js';
import { ChangeAuditStreamDto } from './audit-stream.dto.js';
import { streamView } from './audit-stream-view.js';
import { RotateSecretDto } from './rotate-secret.dto.js';

const RETENTION = 'audit_export';
const IF_MATCH = { name: 'If-Match', required: true, description: 'ETag of the stream as it was shown.' };

/** What is changed of a stream that goes on: conditional, so that two auditors do not overwrite each other. */
@ApiTags('audit')
@ApiBearerAuth()
@Controller('admin/v1/audit/streams/:stream_id')
@Access({ kind: 'key', roles: ['auditor'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class AuditStreamChangesController {
  constructor(@Inject(ChangeAuditStream) private readonly changing: ChangeAuditStream) {}

  @Patch()
  @AdminOperation({ name: 'audit.streams.change', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Send to another address, or under another name, from the row where it is' })
  @ApiHeader(IF_MATCH)
  async change(
    @Param('stream_id') streamId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { name, url }: ChangeAuditStreamDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const change = { ...(name === undefined ? {} : { name }), ...(url === undefined ? {} : { url }) };
    const stream = await this.changing.change(named(request, streamId, ifMatch), change);
    return taggedWith(reply, stream.version, streamView(stream));
  }

  @Post('rotate-secret')
  @AdminOperation({ name: 'audit.streams.rotate_secret', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Sign with another secret, shown once; with the one before as well for a stated time' })
  @ApiHeader(IF_MATCH)
  async rotateSecret(
    @Param('stream_id') streamId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() { overlap_seconds: overlap }: RotateSecretDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { stream, secret } = await this.changing.rotateSecret(named(request, streamId, ifMatch), overlap);
    return taggedWith(reply, stream.version, { ...streamView(stream), secret });
  }
}

const named = (request: FastifyRequest, streamId: string, ifMatch: string | undefined): StreamToChange => ({
  organizationId: organizationOf(request),
  streamId,
  expected: versionsNamed(ifMatch),
  origin: originOf(request),
});
