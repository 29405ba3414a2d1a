import { Controller, Get, Inject, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../platform/http/access.js';
import { PublishedRetention } from '../../modules/retention/index.js';
import type { DealerDirectory, DealerGroup } from '../../modules/tenancy/index.js';
import { DEALER_DIRECTORY } from '../../modules/tenancy/index.js';
import { OperationCatalog } from '../../operations/catalog.js';
import { conformanceStatement } from '../../operations/documents/conformance-statement.js';
import { policyHtml } from '../../operations/documents/policy-html.js';
import { policyPage } from '../../operations/documents/policy-page.js';
import { DocumentLimitGuard } from './document-limit.guard.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const DOCUMENT = { audit: 'none', retention: 'none' } as const;

/** The public documents that the manifest points to. They hold nothing but published facts. */
@ApiTags('documents')
@Controller()
@UseGuards(DocumentLimitGuard)
@Access({ kind: 'public', why: 'Policy, conformance statement and schemas are published by contract (DAP manifest).' })
export class DocumentsController {
  constructor(
    @Inject(DEALER_DIRECTORY) private readonly directory: DealerDirectory,
    @Inject(OperationCatalog) private readonly catalog: OperationCatalog,
    @Inject(PublishedRetention) private readonly retention: PublishedRetention,
  ) {}

  @Get('organizations/:organization_id/policy')
  @AdminOperation({ name: 'documents.policy', ...DOCUMENT })
  @ApiOperation({ summary: 'The policy in force, as HTML or, by Accept, as JSON' })
  async policy(
    @Param('organization_id') organizationId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const group = await this.groupOf(organizationId);
    const page = policyPage(group, this.profilesOf(group), await this.retention.active(organizationId));
    const wantsJson = request.headers.accept?.includes('application/json') === true;
    await reply
      .header('content-type', wantsJson ? JSON_TYPE : 'text/html; charset=utf-8')
      .header('vary', 'Accept')
      .send(wantsJson ? JSON.stringify(page) : policyHtml(page, group.name));
  }

  @Get('organizations/:organization_id/conformance-statement.json')
  @AdminOperation({ name: 'documents.conformance_statement', ...DOCUMENT })
  @ApiOperation({ summary: 'What this gateway says about its own conformance' })
  async statement(@Param('organization_id') organizationId: string, @Res() reply: FastifyReply): Promise<void> {
    const group = await this.groupOf(organizationId);
    const { body } = conformanceStatement(group.organizationId, this.profilesOf(group));
    await reply.header('content-type', JSON_TYPE).send(body.plain);
  }

  @Get('schemas/dap/0.1')
  @AdminOperation({ name: 'documents.schemas', ...DOCUMENT })
  @ApiOperation({ summary: 'The schemas of all tools' })
  async schemas(@Res() reply: FastifyReply): Promise<void> {
    await reply.header('content-type', JSON_TYPE).send(
      JSON.stringify({
        tools: this.catalog.all.map((o) => ({
          name: o.name,
          input: `${o.name}.input.json`,
          output: `${o.name}.output.json`,
        })),
      }),
    );
  }

  /** Also the base itself, with the slash that links are resolved against (DAP manifest, `schema_base_uri`). */
  @Get('schemas/dap/0.1/*')
  @AdminOperation({ name: 'documents.schema', ...DOCUMENT })
  @ApiOperation({ summary: 'The input or output schema of one tool' })
  @ApiParam({ name: 'path', type: String, description: 'Name of the file, as the list has it' })
  async schema(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { '*': file = '' } = request.params as { readonly '*'?: string };
    if (file === '') return this.schemas(reply);
    const match = /^(?<name>[a-z._]+)\.(?<side>input|output)\.json$/.exec(file)?.groups;
    const operation = match?.['name'] === undefined ? undefined : this.catalog.find(match['name']);
    if (operation === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    const schema = match?.['side'] === 'input' ? operation.inputSchema : operation.outputSchema;
    await reply
      .header('content-type', 'application/schema+json; charset=utf-8')
      .send(JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }));
  }

  private profilesOf(group: DealerGroup): readonly string[] {
    return this.catalog.profilesOf(group).map((p) => p.profile);
  }

  private async groupOf(organizationId: string): Promise<DealerGroup> {
    const group = await this.directory.find(organizationId);
    if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    return group;
  }
}
