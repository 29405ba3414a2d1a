import type { StaffCaller } from '../../../kernel/caller.js';
import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { newHoldNoticeId } from '../../../kernel/ids.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { StaffRoster } from '../../staff/index.js';
import type { HoldNotice } from '../domain/hold-notice.js';
import type { NoticeDelivery } from '../domain/notice-delivery.js';
import { type HoldOrigin, present, recordHoldChange } from './hold-parts.js';
import type { NoticeParts } from './notice-parts.js';
import type { NoticePage } from './notice-store.js';
import { postNotice } from './post-notice.js';

/** What is to be told, and to whom. */
export interface RequestedNotice {
  readonly personIds: readonly string[];
  readonly message: string;
  readonly escalateTo: string | null;
}

/** A notice, and the messages that tell of it. */
export interface SentNotice {
  readonly notice: HoldNotice;
  readonly deliveries: readonly NoticeDelivery[];
}

/** Use cases: persons are told of a hold, read it, and say that they have. */
export class HoldNotices {
  constructor(
    private readonly parts: NoticeParts & { readonly roster: StaffRoster },
    /** Milliseconds until the first reminder. */
    private readonly everyMs: number,
  ) {}

  /**
   * A notice for each person, sent to where the organization wants it (decision record 0060). Where nobody is named for it, silence is
   * told to whoever placed the hold, if that is a person.
   * @throws Failure `resource.not_found` for the hold, `state.conflict` for one that is released, `input.invalid` for a person who is
   *   not an active one of the organization.
   */
  send(
    organizationId: string,
    holdId: string,
    { personIds, message, escalateTo }: RequestedNotice,
    origin: HoldOrigin,
  ): Promise<readonly HoldNotice[]> {
    const { unitOfWork, holds, notices, clock } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const { release, placedBy } = present(await holds.find(tx, holdId, 'read'));
      if (release !== null) throw new Failure('state.conflict', { auditReason: 'hold_released' });
      await this.requirePersons(tx, personIds, '/person_ids');
      if (escalateTo !== null) await this.requirePersons(tx, [escalateTo], '/escalate_to');
      const owner = escalateTo ?? (await this.ownerOf(tx, placedBy));
      const sentAt = clock.now();
      const sent = personIds.map((personId): HoldNotice => ({
        ...{ noticeId: newHoldNoticeId(), holdId, personId, message, aboutNotice: null },
        ...{ escalateTo: owner === personId ? escalateTo : owner },
        ...{ sentBy: origin.actor, sentAt, dueAt: sentAt + this.everyMs, reminders: 0, remindedAt: null },
        ...{ escalatedAt: null, acknowledgedAt: null },
      }));
      for (const notice of sent) {
        await notices.insert(tx, notice);
        const step = { noticeId: notice.noticeId, kind: 'notice', ordinal: 0 } as const;
        await postNotice(this.parts, tx, step, notice.personId, sentAt);
      }
      await recordHoldChange(this.parts, tx, origin, {
        operation: 'holds.notices.send',
        resourceIds: [holdId, ...sent.map(({ noticeId }) => noticeId)],
        hashes: changeHashes(null, sent),
      });
      return sent;
    });
  }

  /** Notices of a hold, newest first, and how their messages fare. @throws Failure `resource.not_found` */
  ofHold(organizationId: string, holdId: string, page: NoticePage): Promise<readonly SentNotice[]> {
    const { unitOfWork, holds, notices, outbox } = this.parts;
    return unitOfWork.withTenant(organizationId, async (tx) => {
      present(await holds.find(tx, holdId, 'read'));
      const found = await notices.list(tx, { holdId }, page);
      const ids = found.map(({ noticeId }) => noticeId);
      const deliveries = await outbox.ofNotices(tx, ids);
      return found.map((notice) => ({
        notice,
        deliveries: deliveries.filter(({ noticeId }) => noticeId === notice.noticeId),
      }));
    });
  }

  /** What a person was told, newest first. Keys are told nothing. */
  ofCaller(caller: StaffCaller, page: NoticePage): Promise<readonly HoldNotice[]> {
    if (caller.kind !== 'person') return Promise.resolve([]);
    const { unitOfWork, notices } = this.parts;
    const { organizationId, personId } = caller;
    return unitOfWork.withTenant(organizationId, (tx) => notices.list(tx, { personId }, page));
  }

  /**
   * The person whom it was for says that they have read it. Saying so again changes nothing.
   * @throws Failure `caller.role_forbidden` for keys; `resource.not_found`, also for a notice for somebody else.
   */
  acknowledge(caller: StaffCaller, noticeId: string, origin: HoldOrigin): Promise<HoldNotice> {
    if (caller.kind !== 'person') throw new Failure('caller.role_forbidden', { reason: 'person_required' });
    const { unitOfWork, notices, clock } = this.parts;
    return unitOfWork.withTenant(caller.organizationId, async (tx) => {
      const notice = await notices.lock(tx, noticeId);
      if (notice?.personId !== caller.personId) throw new Failure('resource.not_found', { reason: 'not_found' });
      const after = { ...notice, acknowledgedAt: notice.acknowledgedAt ?? clock.now(), dueAt: null };
      await notices.update(tx, after);
      await recordHoldChange(this.parts, tx, origin, {
        operation: 'holds.notices.acknowledge',
        resourceIds: [notice.holdId, noticeId],
        hashes: changeHashes(notice, after),
      });
      return after;
    });
  }

  private async ownerOf(tx: TenantTransaction, placedBy: string): Promise<string | null> {
    const [owner] = await this.parts.roster.standing(tx, [placedBy]);
    return owner?.active === true ? owner.personId : null;
  }

  private async requirePersons(tx: TenantTransaction, ids: readonly string[], pointer: string): Promise<void> {
    const standing = await this.parts.roster.standing(tx, ids);
    const active = new Set(standing.filter((person) => person.active).map(({ personId }) => personId));
    if (ids.every((id) => active.has(id))) return;
    const explanation = 'must name active persons of the organization';
    throw new Failure('input.invalid', { violations: [{ pointer, keyword: 'format', explanation }] });
  }
}
