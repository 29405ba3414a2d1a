import { Module } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { McpModule } from '../../../src/surfaces/mcp/mcp.module.js';
import { SdkSubscriptions } from '../../../src/surfaces/mcp/sdk-subscriptions.js';
import { EverythingDispatch } from './everything-dispatch.js';

interface Provider {
  readonly provide: unknown;
  inject?: readonly unknown[];
  useFactory: () => EverythingDispatch;
}

/**
 * The product's MCP module with the SDK's server in place of its own dispatch and subscriptions. Only a test bootstrap imports
 * it: importing changes what the module of this process provides.
 */
@Module({ imports: [McpModule] })
export class EverythingFixtureModule {
  /** To be called before the application is made. */
  static install(): void {
    const everything = new EverythingDispatch();
    const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, McpModule) as readonly Provider[];
    const replaced = providers.filter(
      ({ provide }) =>
        provide === SdkSubscriptions || (typeof provide === 'symbol' && provide.description === 'McpDispatch'),
    );
    if (replaced.length !== 2) throw new Error('the MCP module provides dispatch and subscriptions by other names');
    for (const provider of replaced) {
      provider.inject = [];
      provider.useFactory = () => everything;
    }
  }
}
