import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Inject, Logger, Module } from '@nestjs/common';
import type { Clock } from '../../kernel/time.js';
import { CLOCK } from '../../kernel/time.js';
import type { AgentAuthenticator } from '../../kernel/ports/agent-authenticator.js';
import { AGENT_AUTHENTICATOR } from '../../kernel/ports/agent-authenticator.js';
import { REVOCATIONS, type Revocations } from '../../kernel/ports/revocations.js';
import type { Settings } from '../../platform/config/settings.js';
import { SETTINGS } from '../../platform/config/settings.js';
import { VERSION } from '../../platform/config/version.js';
import { PUBLIC_URL } from '../../platform/http/public-url.js';
import { Ticker } from '../../platform/ticker.js';
import { AuthModule, DescribeResource } from '../../modules/auth/index.js';
import type { DealerDirectory } from '../../modules/tenancy/index.js';
import { DEALER_DIRECTORY, TenancyModule } from '../../modules/tenancy/index.js';
import { OperationCatalog } from '../../operations/catalog.js';
import { OperationsModule } from '../../operations/operations.module.js';
import { Pipeline } from '../../operations/pipeline.js';
import type { DispatchParts } from './fast-dispatch.js';
import { FastDispatch } from './fast-dispatch.js';
import { McpCallers } from './mcp-callers.js';
import { McpChallenges } from './mcp-challenges.js';
import type { McpDispatch } from './mcp-dispatch.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { McpFailureRenderer } from './mcp-failure-renderer.js';
import { McpController } from './mcp.controller.js';
import { OfferedTools } from './offered-tools.js';
import { ProtocolDocuments } from './protocol-documents.js';
import { ResourceReads } from './resource-reads.js';
import { RESERVED_RESOURCES, RESOURCE_TABLE, type ResourceTable } from './resource-table.js';
import { ResultWriter } from './result-writer.js';
import { SdkDispatch } from './sdk-dispatch.js';
import { SdkSubscriptions } from './sdk-subscriptions.js';
import { ToolCalls } from './tool-calls.js';

const SERVER_INFO = { name: 'forecourt', title: 'Forecourt', version: VERSION };
const IDENTITY = { name: SERVER_INFO.name, version: SERVER_INFO.version };
export const DISPATCH_PARTS = Symbol('DispatchParts');
const MCP_DISPATCH = Symbol('McpDispatch');

/** With the two seconds for which a group's settings are kept, a change is told within three. */
const LIST_CHANGES_EVERY_MS = 1000;

/** The Dealer Agent Protocol over MCP. */
@Module({
  imports: [AuthModule, OperationsModule, TenancyModule],
  controllers: [McpController],
  providers: [
    { provide: ResultWriter, useFactory: () => new ResultWriter(IDENTITY) },
    {
      provide: OfferedTools,
      inject: [OperationCatalog, DEALER_DIRECTORY],
      useFactory: (catalog: OperationCatalog, directory: DealerDirectory) => new OfferedTools(catalog, directory),
    },
    { provide: RESOURCE_TABLE, useValue: RESERVED_RESOURCES },
    {
      provide: DISPATCH_PARTS,
      inject: [OperationCatalog, Pipeline, OfferedTools, CLOCK, SETTINGS, RESOURCE_TABLE],
      useFactory: (
        catalog: OperationCatalog,
        pipeline: Pipeline,
        offered: OfferedTools,
        clock: Clock,
        settings: Settings,
        resources: ResourceTable,
      ): DispatchParts => {
        const calls = new ToolCalls(offered, pipeline, clock, settings.MCP_ERRORS === 'structured');
        const reads = new ResourceReads(catalog, calls, clock, resources);
        return { calls, reads, offered, documents: new ProtocolDocuments(SERVER_INFO, resources) };
      },
    },
    {
      provide: MCP_DISPATCH,
      inject: [DISPATCH_PARTS, ResultWriter, SETTINGS],
      useFactory: (parts: DispatchParts, writer: ResultWriter, settings: Settings): McpDispatch =>
        settings.MCP_DISPATCH === 'sdk' ? new SdkDispatch(parts, SERVER_INFO) : new FastDispatch(parts, writer),
    },
    {
      provide: SdkSubscriptions,
      inject: [OfferedTools, CLOCK, REVOCATIONS],
      useFactory: (offered: OfferedTools, clock: Clock, revocations: Revocations) =>
        new SdkSubscriptions(offered, IDENTITY, clock, revocations),
    },
    {
      provide: McpEndpoint,
      inject: [MCP_DISPATCH, ResultWriter, CLOCK, SdkSubscriptions],
      useFactory: (dispatch: McpDispatch, writer: ResultWriter, clock: Clock, subscriptions: SdkSubscriptions) =>
        new McpEndpoint(dispatch, writer, clock, subscriptions),
    },
    {
      provide: McpCallers,
      inject: [AGENT_AUTHENTICATOR, Pipeline, PUBLIC_URL],
      useFactory: (agents: AgentAuthenticator, pipeline: Pipeline, publicUrl: string) =>
        new McpCallers(agents, pipeline, publicUrl),
    },
    {
      provide: McpChallenges,
      inject: [PUBLIC_URL, DescribeResource],
      useFactory: (publicUrl: string, describe: DescribeResource) => new McpChallenges(publicUrl, describe),
    },
    {
      provide: McpFailureRenderer,
      inject: [ResultWriter, CLOCK],
      useFactory: (writer: ResultWriter, clock: Clock) => new McpFailureRenderer(writer, clock),
    },
  ],
  exports: [McpFailureRenderer],
})
export class McpModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly changes: Ticker;

  constructor(@Inject(SdkSubscriptions) private readonly subscriptions: SdkSubscriptions) {
    const log = new Logger('subscriptions');
    this.changes = new Ticker('tool list changes', LIST_CHANGES_EVERY_MS, () => subscriptions.deliverChanges(), log);
  }

  onApplicationBootstrap(): void {
    this.changes.start();
  }

  /** Open streams end with their last frame before the port closes; otherwise a drain would wait for them. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.changes.stop();
    await this.subscriptions.close();
  }
}
