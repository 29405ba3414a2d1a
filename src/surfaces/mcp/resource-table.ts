import { RESOURCE_TEMPLATES, RESOURCES } from './listed-resources.js';
import type { NamedResource } from './resource-uri.js';
import { readResourceUri } from './resource-uri.js';

/** The resources of the endpoint: what its lists show, and which operation answers a URI. */
export interface ResourceTable {
  readonly resources: readonly object[];
  readonly templates: readonly object[];
  /** Undefined for a URI that names nothing here. */
  readonly read: (uri: string) => NamedResource | undefined;
}

export const RESOURCE_TABLE = Symbol('ResourceTable');

/** Those that DAP reserves, and no others (DAP §3.2). */
export const RESERVED_RESOURCES: ResourceTable = {
  resources: RESOURCES,
  templates: RESOURCE_TEMPLATES,
  read: readResourceUri,
};
