import { rfc3339 } from '../../../kernel/time.js';
import type { HeldRecord } from '../domain/held-record.js';
import type { SentNotice } from '../app/hold-notices.js';
import type { HoldNotice } from '../domain/hold-notice.js';
import { type LegalHold, stateOf } from '../domain/legal-hold.js';
import { messageIdOf, type NoticeDelivery } from '../domain/notice-delivery.js';

const timeOf = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms));

/** `held_since` is T, `covered` N, `root` what the list of records proves; null while it is counted. */
export function holdView(hold: LegalHold, now: number): object {
  const { count, release } = hold;
  return {
    hold_id: hold.holdId,
    state: stateOf(hold, now),
    matter: hold.matter,
    reason: hold.reason,
    rooftop_ids: hold.rooftopIds,
    categories: hold.categories,
    subjects: hold.subjects,
    record_ids: hold.recordIds,
    from: timeOf(hold.from),
    until: timeOf(hold.until),
    placed_by: hold.placedBy,
    held_since: rfc3339(hold.placedAt),
    covered: count?.covered ?? null,
    root: count === null ? null : Buffer.from(count.root).toString('hex'),
    counted_at: timeOf(count?.countedAt ?? null),
    released_at: timeOf(release?.releasedAt ?? null),
    released_by: release?.releasedBy ?? null,
    release_reason: release?.reason ?? null,
    free_from: timeOf(release?.freeFrom ?? null),
  };
}

export const heldRecordView = ({ category, recordId }: HeldRecord): object => ({ category, record_id: recordId });

export function noticeView(notice: HoldNotice): object {
  return {
    notice_id: notice.noticeId,
    hold_id: notice.holdId,
    person_id: notice.personId,
    message: notice.message,
    escalate_to: notice.escalateTo,
    about_notice: notice.aboutNotice,
    sent_by: notice.sentBy,
    sent_at: rfc3339(notice.sentAt),
    reminders: notice.reminders,
    reminded_at: timeOf(notice.remindedAt),
    escalated_at: timeOf(notice.escalatedAt),
    acknowledged_at: timeOf(notice.acknowledgedAt),
  };
}

/** As compliance sees it: with the messages that left for it, or did not. */
export const sentNoticeView = ({ notice, deliveries }: SentNotice): object => ({
  ...noticeView(notice),
  deliveries: deliveries.map(deliveryView),
});

/** `message_id` is what the receiver sees; `last_failure` a code, of the last attempt that failed. */
function deliveryView(delivery: NoticeDelivery): object {
  const { kind, ordinal, targetId, attempts, problem, deliveredAt, droppedAt, droppedFor } = delivery;
  return {
    step: kind,
    reminder: kind === 'reminder' ? ordinal : null,
    target_id: targetId,
    message_id: messageIdOf(delivery),
    state: deliveredAt !== null ? 'delivered' : droppedAt !== null ? 'dropped' : 'waiting',
    created_at: rfc3339(delivery.createdAt),
    attempts,
    attempted_at: timeOf(delivery.attemptedAt),
    last_failure: problem,
    sent_at: timeOf(deliveredAt),
    dropped_at: timeOf(droppedAt),
    dropped_for: droppedFor,
  };
}
