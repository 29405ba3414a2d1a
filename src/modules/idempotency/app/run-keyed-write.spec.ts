import { describe, expect, it } from 'vitest';
import { Failure } from '../../../kernel/failure/failure.js';
import type { FailureCode } from '../../../kernel/failure/registry.js';
import type { KeyedContent, KeyedReply, KeyedWrite } from '../../../kernel/ports/keyed-writes.js';
import type { RequestTransactions } from '../../../kernel/ports/request-transactions.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { IdempotencyStore } from './idempotency-store.js';
import { RunKeyedWrite } from './run-keyed-write.js';

const REPLY: KeyedReply = { status: 200, headers: {}, data: { done: true } };
const whole: KeyedContent = { complete: true, fingerprint: () => Buffer.alloc(32), drain: () => Promise.resolve() };
const write = (content = whole): KeyedWrite => ({
  organizationId: 'org.a',
  owner: 'key:a',
  operation: 'things.create',
  key: 'k',
  requestId: 'req_1',
  content,
});
const tx = { organizationId: 'org.a' };
const store: IdempotencyStore = {
  take: () => Promise.resolve(true),
  find: () => Promise.resolve(undefined),
  insert: () => Promise.resolve(),
};
/** Fails with the code before anything is opened, or while the effect runs, or when it commits. */
const failing = (when: 'opening' | 'effect' | 'commit', code: FailureCode): RequestTransactions => ({
  run: async (_, steps, request) => {
    if (when === 'opening') throw new Failure(code, { retryAfterMs: 1234 });
    await steps.opening(tx);
    const answer = await request();
    if (when === 'commit') throw new Failure(code);
    return answer;
  },
});
const away: UnitOfWork = { withTenant: () => Promise.reject(new Failure('upstream.unavailable')) };

async function outcomeOf(transactions: RequestTransactions, content = whole, effect = () => Promise.resolve(REPLY)) {
  let ran = 0;
  const counted = (): Promise<KeyedReply> => {
    ran++;
    return effect();
  };
  const failure = await new RunKeyedWrite(transactions, away, store).run(write(content), counted).then(
    () => undefined,
    (error: unknown) => error as Failure,
  );
  return { code: failure?.code, retryAfterMs: failure?.context.retryAfterMs, ran };
}

describe('A keyed write whose store is away', () => {
  it('is never run and says so, with the hint to come again', async () => {
    expect(await outcomeOf(failing('opening', 'upstream.unavailable'))).toEqual({
      code: 'idempotency.store_down',
      retryAfterMs: 1234,
      ran: 0,
    });
  });

  it('is never run either when its body is still to come', async () => {
    const coming = { ...whole, complete: false };
    expect(await outcomeOf(failing('effect', 'upstream.unavailable'), coming)).toMatchObject({
      code: 'idempotency.store_down',
      ran: 0,
    });
  });

  it('is told to come again where only the connections are busy', async () => {
    expect(await outcomeOf(failing('opening', 'limit.busy'))).toMatchObject({ code: 'limit.busy', ran: 0 });
  });

  it('keeps its own failure once it runs: then the store was there', async () => {
    const broken = (): Promise<KeyedReply> => Promise.reject(new Failure('upstream.unavailable'));
    const effect = await outcomeOf(failing('effect', 'upstream.unavailable'), whole, broken);
    const commit = await outcomeOf(failing('commit', 'upstream.unavailable'));
    expect([effect, commit].map(({ code, ran }) => [code, ran])).toEqual([
      ['upstream.unavailable', 1],
      ['upstream.unavailable', 1],
    ]);
  });
});
