import { describe, expect, it } from 'vitest';
import { type HoldNotice, overdueStep } from './hold-notice.js';

const HOUR = 3_600_000;
const notice: HoldNotice = {
  noticeId: 'notice.1',
  holdId: 'hold.1',
  personId: 'staff.1',
  message: 'Keep everything about Smith.',
  escalateTo: 'staff.2',
  aboutNotice: null,
  sentBy: 'staff.3',
  sentAt: 0,
  dueAt: HOUR,
  reminders: 0,
  remindedAt: null,
  escalatedAt: null,
  acknowledgedAt: null,
};

describe('A notice that nobody acknowledges', () => {
  it('is reminded of after each interval, escalated after the last reminder, and then left alone', () => {
    const steps: string[] = [];
    let current = notice;
    for (let now = 0; now < 20 * HOUR; now += HOUR / 4) {
      const step = overdueStep(current, now, HOUR, 3);
      if (step === undefined) continue;
      steps.push(`${step.kind} at ${now / HOUR} h`);
      current = step.changed;
    }
    expect(steps).toEqual(['remind at 1 h', 'remind at 2 h', 'remind at 3 h', 'escalate at 4 h']);
    expect(current).toMatchObject({ reminders: 3, escalatedAt: 4 * HOUR, dueAt: null });
  });

  it('is left alone once it is acknowledged', () => {
    expect(overdueStep({ ...notice, dueAt: null, acknowledgedAt: 10 }, 99 * HOUR, HOUR, 3)).toBeUndefined();
  });
});
