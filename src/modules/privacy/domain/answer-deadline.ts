const DAY_MS = 86_400_000;

/** How long an organization has to answer, and where that is written. Data: counsel confirms it for each place of business. */
export const ANSWER_DEADLINE = {
  days: 45,
  citation: 'Cal. Civ. Code §1798.130(a)(2)(A); 11 CCR §7021(b)',
} as const;

/** When a request has to be answered. Calendar days from its receipt, whenever it is verified. Milliseconds. */
export const dueAt = (receivedAt: number): number => receivedAt + ANSWER_DEADLINE.days * DAY_MS;
