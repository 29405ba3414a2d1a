const DAY_MS = 86_400_000;

/** How long an organization has to answer, and where that is written. Data: counsel confirms it for each place of business. */
export const ANSWER_DEADLINE = {
  days: 45,
  citation: 'Cal. Civ. Code §1798.130(a)(2)(A); 11 CCR §7021(b)',
} as const;

/** By how much the term may be extended, once, when whoever asked is told why before it is over. Cited as the deadline is. */
export const EXTENSION_DAYS = 45;

/** Why more time is reasonably necessary: what the law names (Cal. Civ. Code §1798.145(h)(1)). */
export const EXTENSION_REASONS = ['complexity', 'number_of_requests'] as const;
export type ExtensionReason = (typeof EXTENSION_REASONS)[number];

/** When a request has to be answered. Calendar days from its receipt, whenever it is verified. Milliseconds. */
export const dueAt = (receivedAt: number): number => receivedAt + ANSWER_DEADLINE.days * DAY_MS;

/** As {@link dueAt}, once it was extended: 90 days in all, however early that was said. */
export const extendedDueAt = (receivedAt: number): number => dueAt(receivedAt) + EXTENSION_DAYS * DAY_MS;
