import { rfc3339 } from '../../../kernel/time.js';
import type { MailFolder } from '../../../platform/delivery/mail-folder.js';
import { mailMessage } from '../../../platform/delivery/mail-message.js';
import type { NoticeCarrier, NoticeMessage } from '../app/notice-carrier.js';
import type { ClaimedNoticeTarget } from '../app/notice-delivery-store.js';
import { messageIdOf } from '../domain/notice-delivery.js';
import { acknowledgeUrl } from './acknowledge-url.js';

/** Notices of holds as mail files: one for each step and target. */
export class NoticeMail implements NoticeCarrier {
  constructor(
    private readonly folder: MailFolder,
    private readonly from: string,
    private readonly publicUrl: string,
  ) {}

  deliver({ address: to }: ClaimedNoticeTarget, message: NoticeMessage): Promise<string | undefined> {
    const messageId = messageIdOf(message.delivery);
    const date = rfc3339(message.delivery.createdAt);
    const subject = `${TITLES[message.delivery.kind]} of ${message.organizationId}, ${message.notice.noticeId}`;
    const text = textOf(message, this.publicUrl);
    return this.folder.put(messageId, mailMessage({ from: this.from, to, subject, date, messageId, text }));
  }
}

const TITLES = {
  notice: 'Legal hold',
  reminder: 'Reminder: legal hold',
  escalation: 'Unanswered: legal hold',
} as const;

/** Matter, reason and what is held stay in the service, as in a webhook. */
function textOf({ delivery, notice, unanswered }: NoticeMessage, publicUrl: string): string {
  const { noticeId, holdId, personId, message, sentAt } = notice;
  const lines =
    unanswered === null
      ? [
          `To ${personId}, notice ${noticeId} of ${rfc3339(sentAt)}, legal hold ${holdId}.`,
          ...(delivery.kind === 'reminder' ? [`Reminder ${delivery.ordinal}: it has not been acknowledged.`] : []),
          '',
          message,
          '',
          'Say that you have read this, signed in as yourself:',
          `POST ${acknowledgeUrl(publicUrl, noticeId)}`,
        ]
      : [
          `${unanswered.personId} has not acknowledged notice ${unanswered.noticeId} of legal hold ${holdId},`,
          'also after the last reminder. Nothing more is sent to them.',
        ];
  return [...lines, ''].join('\n');
}
