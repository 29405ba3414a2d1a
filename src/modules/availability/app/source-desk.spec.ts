import { beforeEach, describe, expect, it } from 'vitest';
import type { Failure } from '../../../kernel/failure/failure.js';
import { ALLOWED, type RateVerdict } from '../../../kernel/ports/rate-limiter.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { SourceReply } from './availability-source.js';
import { SourceFailed } from './availability-source.js';
import type { DeskQuestion } from './source-desk.js';
import { SourceDesk } from './source-desk.js';

const clock = { time: 0, now: () => clock.time };
const QUESTION: DeskQuestion = {
  organizationId: 'org.a',
  rooftopId: 'roof.a',
  vehicleId: 'veh.1',
  vin: '1HGCM82633A004352',
  stockNumber: 'S1',
  trace: undefined,
  source: {
    name: 'dms',
    url: 'https://dms.example/availability',
    authoritative: true,
    valid_seconds: 60,
    timeout_ms: 1000,
  },
};

let asked: DeskQuestion[];
let reply: () => Promise<SourceReply> | SourceReply;
let allowance: number;
let desk: SourceDesk;
beforeEach(() => {
  clock.time = Date.parse('2026-11-30T12:00:00Z');
  asked = [];
  allowance = Infinity;
  reply = () => ({ kind: 'answer', body: { status: 'available', observed_at: rfc3339(clock.time) } });
  const source = {
    ask: async (question: unknown): Promise<SourceReply> => {
      asked.push(question as DeskQuestion);
      return reply();
    },
  };
  const take = (): RateVerdict => (allowance-- > 0 ? ALLOWED : { allowed: false, waitMs: 7000, allowances: [] });
  desk = new SourceDesk(source, { take }, 1, clock);
});

const failureOf = (question: DeskQuestion = QUESTION): Promise<Failure['context'] & { code: string }> =>
  desk.observe(question).then(
    () => Promise.reject(new Error('it was answered')),
    (failure: unknown) => ({ code: (failure as Failure).code, ...(failure as Failure).context }),
  );

describe('The desk in front of the dealers’ systems', () => {
  it('gives one answer again until it is not valid any more, the last moment included', async () => {
    const first = await desk.observe(QUESTION);
    clock.time += 60_000;
    expect(await desk.observe(QUESTION)).toBe(first);
    clock.time += 1;
    expect(await desk.observe(QUESTION)).not.toBe(first);
    expect(asked).toHaveLength(2);
  });

  it('asks once for callers that come at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => desk.observe(QUESTION)));
    expect(new Set(answers).size).toBe(1);
    expect(asked).toHaveLength(1);
  });

  it.each([
    { organizationId: 'org.b' },
    { rooftopId: 'roof.b' },
    { vehicleId: 'veh.2' },
    { source: { ...QUESTION.source, url: 'https://other.example/' } },
    { source: { ...QUESTION.source, valid_seconds: 5 } },
  ])('shares no answer with a question that differs in %j', async (difference) => {
    await desk.observe(QUESTION);
    await desk.observe({ ...QUESTION, ...difference });
    expect(asked).toHaveLength(2);
  });

  it('does not keep an answer that is too old, and says what it was', async () => {
    reply = () => ({ kind: 'answer', body: { status: 'available', observed_at: rfc3339(clock.time - 61_000) } });
    expect((await desk.observe(QUESTION)).validUntil).toBe(clock.time - 1000);
    await desk.observe(QUESTION);
    expect(asked).toHaveLength(2);
  });

  it('never makes a state out of a failure, and leaves a failing system alone for a while', async () => {
    reply = () => Promise.reject(new SourceFailed('timeout'));
    for (let i = 0; i < 5; i++)
      expect(await failureOf()).toMatchObject({ code: 'upstream.unavailable', auditReason: 'source_timeout' });
    clock.time += 4000;
    expect(await failureOf()).toMatchObject({ auditReason: 'source_left_alone', retryAfterMs: 6000 });
    expect(asked).toHaveLength(5);
    reply = () => ({ kind: 'answer', body: { status: 'sold', observed_at: rfc3339(clock.time) } });
    clock.time += 6000;
    expect((await desk.observe(QUESTION)).status).toBe('sold');
  });

  it('leaves only that rooftop’s system alone', async () => {
    reply = () => Promise.reject(new SourceFailed('unreachable'));
    for (let i = 0; i < 6; i++) await failureOf();
    expect(await failureOf({ ...QUESTION, rooftopId: 'roof.b' })).toMatchObject({ auditReason: 'source_unreachable' });
  });

  it('counts an answer that cannot be used as a failure', async () => {
    reply = () => ({ kind: 'answer', body: { status: 'available' } });
    expect(await failureOf()).toMatchObject({ code: 'upstream.unavailable', auditReason: 'source_answer_malformed' });
  });

  it('says that a unit is gone, which is no failure of the system', async () => {
    reply = () => ({ kind: 'gone' });
    for (let i = 0; i < 7; i++) expect(await failureOf()).toMatchObject({ code: 'vehicle.unavailable' });
  });

  it('asks no more often than the rooftop’s allowance', async () => {
    allowance = 0;
    expect(await failureOf()).toMatchObject({ code: 'limit.rate_exceeded', retryAfterMs: 7000 });
    expect(asked).toEqual([]);
  });
});
