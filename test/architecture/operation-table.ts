import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { OperationCatalog } from '../../src/operations/catalog.js';
import type { Operation } from '../../src/operations/operation.js';
import { OperationsModule } from '../../src/operations/operations.module.js';

interface FactoryProvider {
  readonly provide: unknown;
  readonly inject: readonly unknown[];
  readonly useFactory: (...parts: readonly unknown[]) => unknown;
}

/** The table is made from parts that no declaration depends on, so anything may stand in for them. */
const inert: unknown = new Proxy(() => inert, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 'inert' : inert),
});

/** Every operation there is, without a service around them. */
export function readOperations(): readonly Operation[] {
  const providers = Reflect.getMetadata(MODULE_METADATA.PROVIDERS, OperationsModule) as readonly FactoryProvider[];
  const provider = providers.find((p) => p.provide === OperationCatalog);
  if (provider === undefined) throw new Error('the operations module provides no catalog');
  return (provider.useFactory(...provider.inject.map(() => inert)) as OperationCatalog).all;
}
