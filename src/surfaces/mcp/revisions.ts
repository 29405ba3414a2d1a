import { SERVED_REVISIONS } from '../../operations/documents/served-revisions.js';

/**
 * The MCP revisions served on one endpoint (MCP basic/versioning; decision record 0011): the modern one, and those served
 * statelessly through `initialize`, newest first.
 */
export const [MODERN_REVISION, ...LEGACY_REVISIONS] = SERVED_REVISIONS;
export const LATEST_LEGACY_REVISION = LEGACY_REVISIONS[0];

/** What a missing MCP-Protocol-Version header means in the older era. */
export const ASSUMED_REVISION = '2025-03-26';

/** The only revision with JSON-RPC batches. */
export const BATCH_REVISION = '2025-03-26';
export const BATCH_MAX = 20;

export const SUPPORTED_REVISIONS: readonly string[] = SERVED_REVISIONS;

export const isLegacyRevision = (revision: string): boolean =>
  (LEGACY_REVISIONS as readonly string[]).includes(revision);
