import { PLATFORM_TENANT } from '../../../kernel/ids.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { TransactionalAudit } from '../../audit/index.js';
import type { JournalKey } from '../domain/journal-key.js';
import { readSegment } from '../domain/read-segment.js';
import type { CheckJournal } from './check-journal.js';
import type { JournalMarks } from './journal-marks.js';
import type { JournalStorage } from './journal-storage.js';
import { auditReplay } from './replay-audit.js';

/**
 * Use case: somebody who really lost the journal, or a part of it, takes that upon themselves. Which segments and why is kept and
 * audited; what is readable is still replayed.
 */
export class AcceptLoss {
  constructor(
    private readonly parts: {
      readonly storage: JournalStorage | undefined;
      readonly keys: readonly JournalKey[];
      readonly marks: JournalMarks;
      readonly check: CheckJournal;
      readonly unitOfWork: UnitOfWork;
      readonly audit: TransactionalAudit;
      readonly clock: Clock;
    },
  ) {}

  /** @returns the segments that count as lost from now on; empty where nothing is */
  async run(reason: string): Promise<readonly string[]> {
    const { marks, unitOfWork, audit, clock } = this.parts;
    const segmentIds = [...new Set([...(await this.missed()), ...(await this.damaged())])].toSorted();
    if (segmentIds.length === 0) return segmentIds;
    await unitOfWork.withTenant(PLATFORM_TENANT, async (tx) => {
      await marks.accept(tx, segmentIds, reason);
      const resourceIds = segmentIds.map((segmentId) => `segment/${segmentId}`);
      await audit.recordInTransaction(tx, {
        ...auditReplay(undefined, clock.now(), 'restore.accept_loss'),
        resourceIds,
      });
    });
    return segmentIds;
  }

  private async missed(): Promise<readonly string[]> {
    const { findings } = await this.parts.check.run();
    return findings.filter(({ problem }) => problem !== 'database_older').map(({ segmentId }) => segmentId);
  }

  private async damaged(): Promise<readonly string[]> {
    const { storage, keys, marks } = this.parts;
    const lost = new Set((await marks.read()).filter((mark) => mark.lost).map((mark) => mark.segmentId));
    const damaged: string[] = [];
    for (const segmentId of (await storage?.list()) ?? []) {
      const { damage } = readSegment(segmentId, (await storage?.read(segmentId)) ?? Buffer.alloc(0), keys);
      if (damage !== undefined && !lost.has(segmentId)) damaged.push(segmentId);
    }
    return damaged;
  }
}
