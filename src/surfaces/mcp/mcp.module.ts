import type { BeforeApplicationShutdown } from '@nestjs/common';
import { Inject, Module } from '@nestjs/common';
import type { Clock } from '../../kernel/time.js';
import { CLOCK } from '../../kernel/time.js';
import { VERSION } from '../../platform/config/version.js';
import { TenancyModule } from '../../modules/tenancy/index.js';
import { OperationCatalog } from '../../operations/catalog.js';
import { OperationsModule } from '../../operations/operations.module.js';
import { Pipeline } from '../../operations/pipeline.js';
import { FastDispatch } from './fast-dispatch.js';
import type { McpDispatch } from './mcp-dispatch.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { McpFailureRenderer } from './mcp-failure-renderer.js';
import { McpController } from './mcp.controller.js';
import { ProtocolDocuments } from './protocol-documents.js';
import { ResultWriter } from './result-writer.js';
import { SdkSubscriptions } from './sdk-subscriptions.js';

const SERVER_INFO = { name: 'forecourt', title: 'Forecourt', version: VERSION };
const MCP_DISPATCH = Symbol('McpDispatch');

/** The Dealer Agent Protocol over MCP. */
@Module({
  imports: [OperationsModule, TenancyModule],
  controllers: [McpController],
  providers: [
    {
      provide: ResultWriter,
      useFactory: () => new ResultWriter({ name: SERVER_INFO.name, version: SERVER_INFO.version }),
    },
    {
      provide: ProtocolDocuments,
      inject: [OperationCatalog],
      useFactory: (catalog: OperationCatalog) => new ProtocolDocuments(catalog, SERVER_INFO),
    },
    {
      provide: MCP_DISPATCH,
      inject: [OperationCatalog, Pipeline, ProtocolDocuments, ResultWriter, CLOCK],
      useFactory: (
        catalog: OperationCatalog,
        pipeline: Pipeline,
        documents: ProtocolDocuments,
        writer: ResultWriter,
        clock: Clock,
      ): McpDispatch => new FastDispatch(catalog, pipeline, documents, writer, clock),
    },
    {
      provide: SdkSubscriptions,
      useFactory: () => new SdkSubscriptions({ name: SERVER_INFO.name, version: SERVER_INFO.version }),
    },
    {
      provide: McpEndpoint,
      inject: [MCP_DISPATCH, ResultWriter, CLOCK, SdkSubscriptions],
      useFactory: (dispatch: McpDispatch, writer: ResultWriter, clock: Clock, subscriptions: SdkSubscriptions) =>
        new McpEndpoint(dispatch, writer, clock, subscriptions),
    },
    {
      provide: McpFailureRenderer,
      inject: [ResultWriter, CLOCK],
      useFactory: (writer: ResultWriter, clock: Clock) => new McpFailureRenderer(writer, clock),
    },
  ],
  exports: [McpFailureRenderer],
})
export class McpModule implements BeforeApplicationShutdown {
  constructor(@Inject(SdkSubscriptions) private readonly subscriptions: SdkSubscriptions) {}

  /** Open streams end with their last frame before the port closes; otherwise a drain would wait for them. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.subscriptions.close();
  }
}
