import type { HoldNotice } from '../domain/hold-notice.js';
import type { NoticeDelivery } from '../domain/notice-delivery.js';
import type { ClaimedNoticeTarget } from './notice-delivery-store.js';

/** What is sent: the same for every attempt. */
export interface NoticeMessage {
  readonly organizationId: string;
  readonly delivery: NoticeDelivery;
  readonly notice: HoldNotice;
  /** Of an escalation: the notice that nobody acknowledged. */
  readonly unanswered: Pick<HoldNotice, 'noticeId' | 'personId'> | null;
}

/** Port: brings a message to a target. */
export interface NoticeCarrier {
  /** Resolves when it has arrived. @returns why it has not: a code. */
  deliver(target: ClaimedNoticeTarget, message: NoticeMessage): Promise<string | undefined>;
}
