import { hash } from 'node:crypto';

/** Operation of the audit record that a pruning leaves in the log that it prunes. */
export const PRUNED_OPERATION = 'log.pruned';

/**
 * That the beginning of a log may be gone: its rows, entries and tiles of level 0 before `minIndex`. What is left of the tree
 * still has the root of these rows.
 */
export interface Pruning {
  /** First row that must be there; a multiple of 256. */
  readonly minIndex: number;
  /** Size of the checkpoint below which was pruned. */
  readonly size: number;
  /** Root of the rows before `minIndex`. */
  readonly root: Uint8Array;
  /** Retention policy and its version, `name@version`. */
  readonly policy: string;
  readonly runId: string;
}

/**
 * What the record of a pruning has as its hash of what came after, hex: whoever changes the pruning contradicts the log. SQL
 * `record_log_pruning` computes the same.
 */
export function pruningHash(organizationId: string, { minIndex, size, root, policy, runId }: Pruning): string {
  const lines = [organizationId, minIndex, size, Buffer.from(root).toString('hex'), policy, runId];
  return hash('sha256', lines.join('\n'), 'hex');
}
