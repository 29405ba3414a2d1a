import type { Offering } from './offered-tools.js';
import type { ResourceTable } from './resource-table.js';
import type { Era } from './result-writer.js';
import { SUPPORTED_REVISIONS } from './revisions.js';
import { listedTool } from './tool-listing.js';
import type { ToolNames } from './tool-names.js';
import { listedName } from './tool-names.js';

/**
 * How long clients may keep lists, milliseconds: those that subscribe are told of changes, the others ask again. A list that
 * depends on the organization alone may be shared by anyone; one that depends on the caller by nobody (MCP lists, DAP-CORE-009).
 */
export const LIST_CACHE = { ttlMs: 60_000, cacheScope: 'public' } as const;
const cacheOf = (scope: 'public' | 'private'): string => `,"ttlMs":${LIST_CACHE.ttlMs},"cacheScope":"${scope}"`;
const CACHE = cacheOf(LIST_CACHE.cacheScope);

/** The modern era is told of changes of the tool list (`subscriptions/listen`); older clients hold no stream to be told on. */
export const MODERN_CAPABILITIES = { tools: { listChanged: true }, resources: {} };
export const LEGACY_CAPABILITIES = {
  tools: { listChanged: false },
  resources: { listChanged: false, subscribe: false },
};

/** What a model is told first. Ours alone: nothing of a feed or of a group's settings (DAP security profile §7). */
export const instructionsFor = (names: ToolNames): string => {
  const tool = (name: string): string => listedName(name, names);
  return [
    `Published inventory of one dealer group. Start with ${tool('dealeragent.discovery.get_manifest')}, then ${tool('dealeragent.inventory.search')}.`,
    'Every fact carries its source and freshness. State stale facts as stale; availability here is dealer-asserted, never verified.',
    'The advertised price is not a quote: charges and taxes may come on top.',
  ].join(' ');
};

/** The lists and handshakes of both eras, each serialised once. Each is the inside of a JSON-RPC result object. */
export class ProtocolDocuments {
  /** One entry for every different offering, era and form of names: a handful, however many organizations there are. */
  private readonly toolLists = new Map<string, string>();
  private readonly resourceList: string;
  private readonly templateList: string;

  constructor(
    private readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string },
    { resources, templates }: ResourceTable,
  ) {
    this.resourceList = `"resources":${JSON.stringify(resources)}`;
    this.templateList = `"resourceTemplates":${JSON.stringify(templates)}`;
  }

  tools(offering: Offering, era: Era, names: ToolNames): string {
    const key = `${era} ${names} ${offering.key}`;
    let list = this.toolLists.get(key);
    if (list === undefined) {
      const tools = offering.tools.map((tool) => listedTool(tool, era, names));
      const cache = era === 'modern' ? cacheOf(offering.isPrivate ? 'private' : 'public') : '';
      list = `"tools":${JSON.stringify(tools)}${cache}`;
      this.toolLists.set(key, list);
    }
    return list;
  }

  resources(era: Era): string {
    return era === 'modern' ? this.resourceList + CACHE : this.resourceList;
  }

  resourceTemplates(era: Era): string {
    return era === 'modern' ? this.templateList + CACHE : this.templateList;
  }

  /** @param isPrivate whether the form of names is the caller's own and not the path's. */
  discovery(names: ToolNames, isPrivate: boolean): string {
    return `"supportedVersions":${JSON.stringify(SUPPORTED_REVISIONS)},"capabilities":${JSON.stringify(MODERN_CAPABILITIES)},"instructions":${JSON.stringify(instructionsFor(names))}${isPrivate ? cacheOf('private') : CACHE}`;
  }

  initialization(revision: string, names: ToolNames): string {
    return `"protocolVersion":"${revision}","capabilities":${JSON.stringify(LEGACY_CAPABILITIES)},"serverInfo":${JSON.stringify(this.serverInfo)},"instructions":${JSON.stringify(instructionsFor(names))}`;
  }
}
