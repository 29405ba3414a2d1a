/** Tells a person that they must keep something. Times are milliseconds. */
export interface HoldNotice {
  readonly noticeId: string;
  readonly holdId: string;
  readonly personId: string;
  readonly message: string;
  /** Who is told when it is not acknowledged after the last reminder. */
  readonly escalateTo: string | null;
  /** Of an escalation: the notice that was not acknowledged. */
  readonly aboutNotice: string | null;
  readonly sentBy: string;
  readonly sentAt: number;
  /** When the next step is due; null: nothing more happens by itself. */
  readonly dueAt: number | null;
  readonly reminders: number;
  readonly remindedAt: number | null;
  readonly escalatedAt: number | null;
  readonly acknowledgedAt: number | null;
}

/** What becomes of a notice that was not acknowledged in time. */
export type OverdueStep =
  | { readonly kind: 'remind'; readonly changed: HoldNotice }
  | { readonly kind: 'escalate'; readonly changed: HoldNotice };

/**
 * The next step of a notice; undefined while none is due. After the last reminder it is escalated, once.
 * @param everyMs time between reminders
 * @param most reminders before the escalation
 */
export function overdueStep(notice: HoldNotice, now: number, everyMs: number, most: number): OverdueStep | undefined {
  if (notice.dueAt === null || notice.dueAt > now || notice.acknowledgedAt !== null) return undefined;
  if (notice.reminders >= most) return { kind: 'escalate', changed: { ...notice, escalatedAt: now, dueAt: null } };
  const reminders = notice.reminders + 1;
  return { kind: 'remind', changed: { ...notice, reminders, remindedAt: now, dueAt: now + everyMs } };
}
