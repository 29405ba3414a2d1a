import { Failure } from '../../../kernel/failure/failure.js';
import { consistencyProof } from '../domain/log/merkle-proof.js';
import { subtreeRootsFrom } from '../domain/log/tiles.js';
import type { AuditLogStore } from './audit-log-store.js';

/** What shows that a log only grew between two sizes. */
export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  /** Hashes of RFC 9162 §2.1.4, base64. */
  readonly consistencyPath: readonly string[];
}

/** Proofs about a log's states, for whoever kept one of them. */
export class LogProofs {
  constructor(private readonly store: AuditLogStore) {}

  /**
   * Proof that the log of `to` records begins with the log of `from` records.
   * @throws Failure `input.invalid` unless 0 < from ≤ to, `resource.not_found` where no checkpoint covers `to`.
   */
  consistency(organizationId: string, from: number, to: number): Promise<ConsistencyProof> {
    if (!(from > 0 && from <= to)) throw disorder();
    return this.store.withLog(organizationId, async (log) => {
      if ((await log.checkpointedSize()) < to) throw new Failure('resource.not_found', { reason: 'not_found' });
      const at = subtreeRootsFrom((level, start, count) => log.hashes(level, start, count));
      const path = await consistencyProof(from, to, at);
      return { from, to, consistencyPath: path.map((hash) => Buffer.from(hash).toString('base64')) };
    });
  }

  /** The newest signed note of a size. @throws Failure `resource.not_found` where none was signed at it. */
  checkpointOf(organizationId: string, size: number): Promise<string> {
    return this.store.withLog(organizationId, async (log) => {
      const checkpoint = await log.checkpointOf(size);
      if (checkpoint === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      return checkpoint.note;
    });
  }
}

const disorder = (): Failure =>
  new Failure('input.invalid', {
    violations: [{ pointer: '/from', keyword: 'maximum', explanation: 'must be at least 1 and at most `to`' }],
  });
