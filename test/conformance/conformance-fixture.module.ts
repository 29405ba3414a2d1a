import { Module } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { OperationCatalog } from '../../src/operations/catalog.js';
import { OperationsModule } from '../../src/operations/operations.module.js';
import { FIXTURE_OPERATIONS } from './fixture-operations.js';

interface TableProvider {
  readonly provide: unknown;
  useFactory: (...parts: readonly unknown[]) => OperationCatalog;
}

/**
 * The product's operations module with the fixtures of the conformance suite in its table. Only a test bootstrap imports it:
 * importing changes what the operations module of this process provides.
 */
@Module({ imports: [OperationsModule] })
export class ConformanceFixtureModule {
  /** To be called before the application is made. */
  static install(): void {
    const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, OperationsModule) as readonly TableProvider[];
    const table = providers.find((provider) => provider.provide === OperationCatalog);
    if (table === undefined) throw new Error('the operations module provides no operation table');
    const own = table.useFactory;
    table.useFactory = (...parts) => new OperationCatalog([...own(...parts).all, ...FIXTURE_OPERATIONS]);
  }
}
