import { Controller, Get, Inject, Injectable, type INestApplication, Module, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../../platform/http/access.js';
import { AdminAudit } from '../../../platform/http/admin-audit.js';
import { contextOf, type FastifyReply, type FastifyRequest } from '../../../platform/http/request-context.js';
import { openApiDocument } from './openapi-document.js';

/** The description of the running service, made when it is first asked for. */
@Injectable()
export class OpenApiDescription {
  private app: INestApplication | undefined;
  private text: string | undefined;

  /** Whoever composes the application says which one it is: a container does not know itself. */
  describes(app: INestApplication): void {
    this.app = app;
  }

  /** @throws Failure `feature.not_configured` where nobody has said so. */
  json(): string {
    if (this.app === undefined) throw new Failure('feature.not_configured');
    return (this.text ??= JSON.stringify(openApiDocument(this.app)));
  }
}

/** The description as tools read it: bare, without the envelope. */
@ApiTags('description')
@ApiBearerAuth()
@Controller('admin/v1')
@Access({ kind: 'key', roles: ['admin', 'compliance', 'auditor'], of: 'either' })
export class OpenApiController {
  constructor(
    @Inject(OpenApiDescription) private readonly description: OpenApiDescription,
    @Inject(AdminAudit) private readonly audit: AdminAudit,
  ) {}

  @Get('openapi.json')
  @AdminOperation({ name: 'description.get', audit: 'read', retention: 'none' })
  @ApiOperation({ summary: 'This description (OpenAPI 3.1)' })
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const json = this.description.json();
    await this.audit.read(contextOf(request), 'description.get');
    await reply.header('content-type', 'application/json; charset=utf-8').send(json);
  }
}

@Module({ controllers: [OpenApiController], providers: [OpenApiDescription] })
export class OpenApiModule {}
