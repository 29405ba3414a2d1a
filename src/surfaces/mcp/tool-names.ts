import type { Caller } from '../../kernel/caller.js';

/**
 * How tools are named in lists. Some clients accept no dots in names, so every tool has an alias with underscores; which
 * form is listed is the choice of the path or of the caller's grant, never a guess about the client. Both forms are accepted in
 * every call.
 */
export type ToolNames = 'dotted' | 'underscore';

/** `dealeragent.inventory.search` as `dealeragent_inventory_search`. */
export const underscored = (name: string): string => name.replaceAll('.', '_');

export const listedName = (name: string, names: ToolNames): string => (names === 'dotted' ? name : underscored(name));

const UNDERSCORE_PATH = '/underscore';

/** The form that an endpoint's path asks for. */
export const namesOfPath = (url: string): ToolNames =>
  (url.split('?', 1)[0] ?? '').endsWith(UNDERSCORE_PATH) ? 'underscore' : 'dotted';

/** Whether the caller's grant says how tools are named for it. */
export const hasOwnNames = (caller: Caller): boolean => caller.kind === 'agent' && caller.grant.toolNames !== undefined;

/** The form for one caller: a path without dots never shows any, else the grant has the last word. */
export const namesFor = (ofPath: ToolNames, caller: Caller): ToolNames =>
  ofPath === 'underscore' || caller.kind !== 'agent' ? ofPath : (caller.grant.toolNames ?? ofPath);
