import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/** What an audited change made of what: SHA-256 in hex, null where there was or is nothing. Members of the audit record. */
export interface ChangeHashes {
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
}

/**
 * Hashes of the canonical view of a resource before and after a change, for its audit record. A view is plain data without
 * secrets: whoever keeps it can prove later what was changed, and the record tells nobody else.
 * @param before null for what the change created
 * @param after null for what it removed
 */
export function changeHashes(before: object | null, after: object | null): ChangeHashes {
  return { beforeHash: viewHash(before), afterHash: viewHash(after) };
}

const viewHash = (view: object | null): string | null =>
  view === null ? null : hash('sha256', canonicalJson(view), 'hex');
