import { rfc3339 } from '../../../kernel/time.js';
import type { SignedWebhook } from '../../../platform/delivery/signed-webhook.js';
import type { NoticeCarrier, NoticeMessage } from '../app/notice-carrier.js';
import type { ClaimedNoticeTarget } from '../app/notice-delivery-store.js';
import { messageIdOf } from '../domain/notice-delivery.js';
import { acknowledgeUrl } from './acknowledge-url.js';

/** Notices of holds as signed webhooks. */
export class NoticeWebhook implements NoticeCarrier {
  constructor(
    private readonly webhook: SignedWebhook,
    private readonly publicUrl: string,
  ) {}

  deliver({ targetId, address: url }: ClaimedNoticeTarget, message: NoticeMessage): Promise<string | undefined> {
    const messageId = messageIdOf(message.delivery);
    const text = JSON.stringify(bodyOf(message, messageId, this.publicUrl));
    return this.webhook.send({ targetId, url, messageId, text });
  }
}

/**
 * The same for every attempt. Matter, reason and what is held stay here: who keeps something must know what to do, and those who
 * hear of somebody's silence only whose it is.
 */
function bodyOf({ organizationId, delivery, notice, unanswered }: NoticeMessage, messageId: string, publicUrl: string) {
  const { noticeId, holdId, personId, message, sentAt } = notice;
  const about = { organization_id: organizationId, message_id: messageId, notice_id: noticeId, hold_id: holdId };
  const told = { ...about, person_id: personId, notice_sent_at: rfc3339(sentAt) };
  const acknowledge = { acknowledge_url: acknowledgeUrl(publicUrl, noticeId) };
  const data =
    unanswered === null
      ? { ...told, reminder: delivery.ordinal, message, ...acknowledge }
      : { ...about, unanswered_notice_id: unanswered.noticeId, unanswered_by: unanswered.personId };
  return { type: `hold.${delivery.kind}`, timestamp: rfc3339(delivery.createdAt), data };
}
