import { Failure } from '../../../kernel/failure/failure.js';
import { inclusionProof } from '../domain/log/merkle-proof.js';
import { subtreeRootsFrom } from '../domain/log/tiles.js';
import { withVaulted } from '../domain/vault.js';
import type { AuditLogStore } from './audit-log-store.js';

/** Everything that an outsider with the log's public key needs to check one record. */
export interface RecordProof {
  readonly eventId: string;
  /** Index of the leaf, from 0. */
  readonly seq: number;
  /** The canonical record: SHA-256(0x00 ‖ its UTF-8 bytes) is the leaf. */
  readonly canon: string;
  /** Sibling hashes from the leaf to the root, base64. */
  readonly inclusionPath: readonly string[];
  /** The signed note whose root the path ends in. */
  readonly checkpoint: string;
}

/** Proves one record of an organization's trail against its newest checkpoint. */
export class ProveRecord {
  constructor(private readonly store: AuditLogStore) {}

  /**
   * @throws Failure `resource.not_found` for an unknown record, `state.conflict` with a retry hint for one that no
   *   checkpoint covers yet.
   */
  run(organizationId: string, eventId: string): Promise<RecordProof> {
    return this.store.withLog(organizationId, async (log) => {
      const found = await log.findRecord(eventId);
      if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      const checkpoint = await log.newestCheckpoint();
      if (found.seq === undefined || checkpoint === undefined || checkpoint.size <= found.seq)
        throw new Failure('state.conflict', { retryAfterMs: 2000 });
      const at = subtreeRootsFrom((level, start, count) => log.hashes(level, start, count));
      const { seq, path: kept } = found;
      const path = await inclusionProof(
        seq,
        checkpoint.size,
        kept === undefined ? at : withVaulted({ seq, path: kept }, at),
      );
      return {
        eventId,
        seq,
        canon: found.canon,
        inclusionPath: path.map((hash) => Buffer.from(hash).toString('base64')),
        checkpoint: checkpoint.note,
      };
    });
  }

  /** The newest signed note, for whoever wants to keep it. @throws Failure `resource.not_found` before the first one. */
  newestCheckpoint(organizationId: string): Promise<string> {
    return this.store.withLog(organizationId, async (log) => {
      const checkpoint = await log.newestCheckpoint();
      if (checkpoint === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      return checkpoint.note;
    });
  }
}
