import { Module } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { OperationCatalog } from '../../src/operations/catalog.js';
import { OperationsModule } from '../../src/operations/operations.module.js';
import { McpModule } from '../../src/surfaces/mcp/mcp.module.js';
import { RESOURCE_TABLE, type ResourceTable } from '../../src/surfaces/mcp/resource-table.js';
import { FIXTURE_OPERATIONS } from './fixture-operations.js';
import { withFixtureResources } from './fixture-resources.js';

interface TableProvider {
  readonly provide: unknown;
  useFactory: (...parts: readonly unknown[]) => OperationCatalog;
}

interface ResourceProvider {
  readonly provide: unknown;
  useValue: ResourceTable;
}

/**
 * The product's own modules with the fixtures of the conformance suite in the operation table and among the resources. Only a
 * test bootstrap imports it: importing changes what the modules of this process provide.
 */
@Module({ imports: [OperationsModule, McpModule] })
export class ConformanceFixtureModule {
  /** To be called before the application is made. */
  static install(): void {
    const table = providerOf(OperationsModule, OperationCatalog) as TableProvider;
    const own = table.useFactory;
    table.useFactory = (...parts) => new OperationCatalog([...own(...parts).all, ...FIXTURE_OPERATIONS]);
    const resources = providerOf(McpModule, RESOURCE_TABLE) as ResourceProvider;
    resources.useValue = withFixtureResources(resources.useValue);
  }
}

function providerOf(module: object, token: unknown): object {
  const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, module) as readonly { readonly provide: unknown }[];
  const found = providers.find((provider) => provider.provide === token);
  if (found === undefined) throw new Error('a module of the product does not provide what the fixtures are added to');
  return found;
}
