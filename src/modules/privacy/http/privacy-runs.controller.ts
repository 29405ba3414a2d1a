import {
  Controller,
  Headers,
  HttpCode,
  Inject,
  Param,
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
import { PendingAction } from '../../../platform/http/pending-action.js';
import type { FastifyReply, FastifyRequest } from '../../../platform/http/request-context.js';
import { organizationOf, originOf } from '../../../platform/http/staff-request.js';
import { StartPrivacyRequest } from '../app/start-privacy-request.js';
import { requestView } from './privacy-request-view.js';

const RETENTION = 'privacy_request';
const IF_MATCH = { name: 'If-Match', required: true, description: 'ETag of the request.' };

/** What a request would do, and doing it. */
@ApiTags('privacy')
@ApiBearerAuth()
@Controller('admin/v1/privacy-requests/:request_id')
@Access({ kind: 'key', roles: ['compliance'] })
@UseInterceptors(EnvelopeInterceptor)
@UsePipes(adminValidationPipe())
export class PrivacyRunsController {
  constructor(@Inject(StartPrivacyRequest) private readonly starting: StartPrivacyRequest) {}

  @Post('preview')
  @AdminOperation({ name: 'privacy.requests.preview', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({
    summary: 'Count what an erasure would take and what stays and why, and ask two people to approve that',
  })
  @ApiHeader(IF_MATCH)
  async preview(
    @Param('request_id') requestId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const expected = versionsNamed(ifMatch);
    const found = await this.starting.preview(organizationOf(request), requestId, expected, originOf(request));
    const view = taggedWith(reply, found.request.version, requestView(found.request));
    return found.approval.state === 'approved' ? view : new PendingAction(view, found.approval);
  }

  @Post('run')
  @HttpCode(202)
  @AdminOperation({ name: 'privacy.requests.run', audit: 'change', change: 'conditional', retention: RETENTION })
  @ApiOperation({ summary: 'Carry out what was approved (erasure) or verified (access), in the background' })
  @ApiHeader(IF_MATCH)
  async run(
    @Param('request_id') requestId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const expected = versionsNamed(ifMatch);
    const after = await this.starting.run(organizationOf(request), requestId, expected, originOf(request));
    return taggedWith(reply, after.version, requestView(after));
  }
}
