import { changeHashes } from '../../../kernel/change-hashes.js';
import { retryAt } from '../../../kernel/delivery/retry-at.js';
import { newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { HoldNotice } from '../domain/hold-notice.js';
import type { DropReason, NoticeDelivery } from '../domain/notice-delivery.js';
import { type HoldParts, present, recordHoldChange } from './hold-parts.js';
import type { NoticeCarrier, NoticeMessage } from './notice-carrier.js';
import type { ClaimedNoticeTarget, DueNoticeTarget, NoticeProgress } from './notice-delivery-store.js';
import type { NoticeStore } from './notice-store.js';

export interface DeliverHoldNoticesParts extends HoldParts {
  readonly notices: NoticeStore;
  readonly progress: NoticeProgress;
  readonly carriers: Readonly<Record<'webhook' | 'mail', NoticeCarrier>>;
}

const TARGETS_AT_ONCE = 100;
/** Messages to one target in a row, before others have their turn. */
const IN_A_ROW = 50;
/** Longer than an attempt takes: after it another process takes over. */
const LEASE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Claimed {
  readonly target: ClaimedNoticeTarget;
  readonly message: NoticeMessage;
}

/**
 * Use case: sends notices of holds, their reminders and escalations to where the organization wants them. A message was put down
 * with the step that it tells of and is noted when it has arrived: a process that dies in between, or a second one, sends the
 * same again under the same id (decision record 0060).
 */
export class DeliverHoldNotices {
  constructor(
    private readonly parts: DeliverHoldNoticesParts,
    private readonly leaseMs: number = LEASE_MS,
  ) {}

  /** One pass over all that is due. A target that fails is left alone until it is its time again. */
  async run(): Promise<void> {
    const { progress, clock } = this.parts;
    for (const due of await progress.due(clock.now(), TARGETS_AT_ONCE))
      for (let sent = 0; sent < IN_A_ROW && (await this.deliverNext(due)); sent++);
  }

  /** @returns whether to go on with this target */
  private async deliverNext({ organizationId, targetId }: DueNoticeTarget): Promise<boolean> {
    const { unitOfWork, carriers } = this.parts;
    const claimed = await unitOfWork.withTenant(organizationId, (tx) => this.claim(tx, targetId));
    if (claimed === undefined) return false;
    const { target, message } = claimed;
    const problem = await carriers[target.kind].deliver(target, message);
    await unitOfWork.withTenant(organizationId, (tx) =>
      problem === undefined ? this.arrived(tx, claimed) : this.failed(tx, claimed, problem),
    );
    return problem === undefined;
  }

  private async claim(tx: TenantTransaction, targetId: string): Promise<Claimed | undefined> {
    const { progress, clock } = this.parts;
    const target = await progress.claim(tx, targetId, clock.now(), this.leaseMs);
    if (target === undefined) return undefined;
    for (;;) {
      const waiting = await progress.next(tx, targetId);
      if (waiting === undefined) break;
      const notice = present(await this.parts.notices.find(tx, waiting.noticeId));
      const needless = await this.needless(tx, notice);
      if (needless === undefined) return { target, message: await this.messageOf(tx, waiting, notice) };
      await progress.drop(tx, waiting, needless, clock.now());
    }
    await progress.rest(tx, targetId, { nextAt: clock.now(), problem: null });
    return undefined;
  }

  /** Why a message need not be sent any more: there is nothing that anybody must still do. */
  private async needless(tx: TenantTransaction, notice: HoldNotice): Promise<DropReason | undefined> {
    if (notice.acknowledgedAt !== null) return 'acknowledged';
    const hold = await this.parts.holds.find(tx, notice.holdId, 'read');
    return hold?.release === null ? undefined : 'hold_released';
  }

  private async messageOf(tx: TenantTransaction, waiting: NoticeDelivery, notice: HoldNotice): Promise<NoticeMessage> {
    const { progress, notices, clock } = this.parts;
    const delivery = await progress.attempt(tx, waiting, clock.now());
    const { organizationId } = tx;
    if (delivery.kind !== 'escalation') return { organizationId, delivery, notice, unanswered: null };
    const unanswered = notice.aboutNotice === null ? notice : present(await notices.find(tx, notice.aboutNotice));
    return { organizationId, delivery, notice, unanswered };
  }

  private async arrived(tx: TenantTransaction, { target, message }: Claimed): Promise<void> {
    const { progress, clock } = this.parts;
    const now = clock.now();
    await progress.rest(tx, target.targetId, { nextAt: now, problem: null, deliveredAt: now });
    const after = await progress.arrived(tx, message.delivery, now);
    if (after !== undefined) await this.record(tx, 'holds.notices.deliver', message, after);
  }

  private async failed(tx: TenantTransaction, { target, message }: Claimed, problem: string): Promise<void> {
    const { progress, clock } = this.parts;
    const now = clock.now();
    await progress.rest(tx, target.targetId, { nextAt: retryAt(now, target.failures), problem });
    await progress.failed(tx, message.delivery, problem);
    if (now - message.delivery.createdAt < LIMITS.holdNoticeDeliveryDays.value * DAY_MS) return;
    const after = await progress.drop(tx, message.delivery, 'gave_up', now);
    if (after !== undefined) await this.record(tx, 'holds.notices.give_up', message, after);
  }

  private record(
    tx: TenantTransaction,
    operation: string,
    { delivery, notice }: NoticeMessage,
    after: NoticeDelivery,
  ): Promise<void> {
    const eventId = newRequestId();
    const origin = { eventId, traceId: traceIdOfRequest(eventId), surface: 'worker', client: null } as const;
    const system = { ...origin, actorKind: 'system', actor: 'holds.notices' } as const;
    const resourceIds = [notice.holdId, notice.noticeId, delivery.targetId];
    return recordHoldChange(this.parts, tx, system, { operation, resourceIds, hashes: changeHashes(delivery, after) });
  }
}
