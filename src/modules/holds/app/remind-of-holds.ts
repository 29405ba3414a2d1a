import { changeHashes } from '../../../kernel/change-hashes.js';
import { newHoldNoticeId, newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { type HoldNotice, overdueStep } from '../domain/hold-notice.js';
import { recordHoldChange } from './hold-parts.js';
import type { NoticeParts } from './notice-parts.js';
import type { DueNotices } from './notice-store.js';
import { postNotice } from './post-notice.js';

const AT_ONCE = 100;

/** Use case: reminds of notices that nobody acknowledged, and tells somebody else after the last reminder. */
export class RemindOfHolds {
  constructor(
    private readonly parts: NoticeParts & { readonly dueNotices: DueNotices },
    /** Milliseconds between reminders. */
    private readonly everyMs: number,
  ) {}

  /** @returns how many steps were taken. Several processes may run it at once. */
  async run(): Promise<number> {
    const { unitOfWork, dueNotices, clock } = this.parts;
    let steps = 0;
    for (const { organizationId, noticeId } of await dueNotices.due(clock.now(), AT_ONCE))
      if (await unitOfWork.withTenant(organizationId, (tx) => this.step(tx, noticeId))) steps++;
    return steps;
  }

  private async step(tx: TenantTransaction, noticeId: string): Promise<boolean> {
    const { notices, holds, clock } = this.parts;
    const notice = await notices.lock(tx, noticeId);
    if (notice === undefined) return false;
    const hold = await holds.find(tx, notice.holdId, 'read');
    if (hold?.release !== null) {
      await notices.update(tx, { ...notice, dueAt: null }); // there is nothing to keep any more
      return false;
    }
    const step = overdueStep(notice, clock.now(), this.everyMs, LIMITS.holdReminders.value);
    if (step === undefined) return false;
    await notices.update(tx, step.changed);
    const told = step.kind === 'escalate' ? await this.escalate(tx, step.changed) : [];
    if (step.kind === 'remind') await this.remind(tx, step.changed);
    await this.record(tx, `holds.notices.${step.kind}`, [notice.holdId, noticeId, ...told], notice, step.changed);
    return true;
  }

  private remind(tx: TenantTransaction, { noticeId, personId, reminders }: HoldNotice): Promise<void> {
    const step = { noticeId, kind: 'reminder', ordinal: reminders } as const;
    return postNotice(this.parts, tx, step, personId, this.parts.clock.now());
  }

  /** @returns ids of the notices that say so */
  private async escalate(tx: TenantTransaction, notice: HoldNotice): Promise<readonly string[]> {
    const { escalateTo: personId } = notice;
    const now = this.parts.clock.now();
    const noticeId = personId === null ? notice.noticeId : newHoldNoticeId();
    const step = { noticeId, kind: 'escalation', ordinal: 0 } as const;
    if (personId === null) {
      await postNotice(this.parts, tx, step, null, now);
      return [];
    }
    await this.parts.notices.insert(tx, {
      ...{ ...notice, noticeId, personId, aboutNotice: notice.noticeId, escalateTo: null },
      ...{ sentBy: 'system', sentAt: now, dueAt: null, reminders: 0, remindedAt: null, escalatedAt: null },
    });
    await postNotice(this.parts, tx, step, personId, now);
    return [noticeId];
  }

  private record(
    tx: TenantTransaction,
    operation: string,
    resourceIds: readonly string[],
    before: HoldNotice,
    after: HoldNotice,
  ): Promise<void> {
    const eventId = newRequestId();
    const origin = { eventId, traceId: traceIdOfRequest(eventId), surface: 'worker', client: null } as const;
    const system = { ...origin, actorKind: 'system', actor: 'holds.notices' } as const;
    const hashes = changeHashes(before, after);
    return recordHoldChange(this.parts, tx, system, { operation, resourceIds, hashes });
  }
}
