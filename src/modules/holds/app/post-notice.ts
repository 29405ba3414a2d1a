import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { NoticeStep } from '../domain/notice-delivery.js';
import { targetsOf } from '../domain/notice-target.js';
import type { NoticeOutbox } from './notice-delivery-store.js';
import type { NoticeTargetStore } from './notice-target-store.js';

export interface NoticePost {
  readonly targets: NoticeTargetStore;
  readonly outbox: NoticeOutbox;
}

/**
 * Puts a step of a notice down to be sent, in the transaction that takes the step: it is sent if and only if the step was taken.
 * Without targets nothing leaves the service.
 * @param told the person whom it is for; null: nobody by name
 */
export async function postNotice(
  { targets, outbox }: NoticePost,
  tx: TenantTransaction,
  step: NoticeStep,
  told: string | null,
  at: number,
): Promise<void> {
  const meant = targetsOf(step.kind, told, await targets.active(tx)).map(({ targetId }) => targetId);
  if (meant.length > 0) await outbox.add(tx, step, meant, at);
}
