import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Failure } from '../../kernel/failure/failure.js';
import { Access, AdminOperation } from '../../platform/http/access.js';
import { PUBLIC_URL } from '../../platform/http/public-url.js';
import type { FastifyReply, FastifyRequest } from '../../platform/http/request-context.js';
import type { ExportedInventory, PublishedExport } from '../../modules/inventory/index.js';
import { PROTOCOL_CSV_HEADER, protocolCsvLine, PUBLISHED_EXPORT } from '../../modules/inventory/index.js';
import type { DealerDirectory } from '../../modules/tenancy/index.js';
import { DEALER_DIRECTORY } from '../../modules/tenancy/index.js';
import { PublicLinks } from '../../operations/documents/public-links.js';
import { staticPublication } from '../../operations/documents/static-publication.js';
import { answeredByTag } from './conditional-answer.js';
import { DocumentLimitGuard } from './document-limit.guard.js';

const DOCUMENT = { audit: 'none', retention: 'none' } as const;

/** What a group publishes for readers that speak no MCP: where its gateway is, and its inventory as a file (DAP §3.3). */
@ApiTags('documents')
@Controller()
@UseGuards(DocumentLimitGuard)
@Access({ kind: 'public', why: 'Static publication of a dealer group: published facts only (DAP discovery §3.3).' })
export class PublicationController {
  private readonly links: PublicLinks;

  constructor(
    @Inject(DEALER_DIRECTORY) private readonly directory: DealerDirectory,
    @Inject(PUBLISHED_EXPORT) private readonly inventory: PublishedExport,
    @Inject(PUBLIC_URL) publicUrl: string,
  ) {
    this.links = new PublicLinks(publicUrl);
  }

  @Get('.well-known/dealer-agent.json')
  @AdminOperation({ name: 'documents.default_publication', ...DOCUMENT })
  @ApiOperation({ summary: 'The static publication of the default organization' })
  async ofDefault(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const organizationId = await this.directory.defaultOrganizationId();
    if (organizationId === undefined) throw new Failure('feature.not_configured');
    await this.publication(organizationId, request, reply);
  }

  @Get('organizations/:organization_id/.well-known/dealer-agent.json')
  @AdminOperation({ name: 'documents.publication', ...DOCUMENT })
  @ApiOperation({ summary: 'The static publication of an organization' })
  async publication(
    @Param('organization_id') organizationId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const group = await this.directory.find(organizationId);
    if (group === undefined || group.rooftops.length === 0)
      throw new Failure('resource.not_found', { reason: 'not_found' });
    const body = JSON.stringify(staticPublication(group, this.links));
    const tag = createHash('sha256').update(body).digest('base64url');
    if (!(await answeredByTag(request, reply, tag, 'application/json; charset=utf-8'))) await reply.send(body);
  }

  @Get('organizations/:organization_id/inventory.csv')
  @AdminOperation({ name: 'documents.inventory_csv', ...DOCUMENT })
  @ApiOperation({ summary: 'The published inventory in the CSV of the Dealer Agent Protocol' })
  async csv(
    @Param('organization_id') organizationId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const exported = await this.inventory.open(organizationId);
    if (await answeredByTag(request, reply, exported.identity, 'text/csv; charset=utf-8; header=present')) return;
    await reply.send(Readable.from(linesOf(exported)));
  }
}

/** A batch of lines at a time: the next is read when the one before has left. */
async function* linesOf(exported: ExportedInventory): AsyncGenerator<Buffer> {
  yield Buffer.from(PROTOCOL_CSV_HEADER);
  for await (const batch of exported.batches()) {
    const lines = batch.map((unit) => protocolCsvLine(unit) ?? '').join('');
    if (lines !== '') yield Buffer.from(lines);
  }
}
