import { Failure } from '../../../kernel/failure/failure.js';
import type { KeyedReply, KeyedWrite, KeyedWrites } from '../../../kernel/ports/keyed-writes.js';
import type { RequestTransactions } from '../../../kernel/ports/request-transactions.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import { withoutSecrets } from '../domain/kept-reply.js';
import type { IdempotencyStore } from './idempotency-store.js';

/** A caller that is told to come again finds the first reply by then, as a rule. */
const RETRY_MS = 500;

/** Use case: one effect for each idempotency key, committed together with its reply (decision record 0035). */
export class RunKeyedWrite implements KeyedWrites {
  constructor(
    private readonly transactions: RequestTransactions,
    private readonly unitOfWork: UnitOfWork,
    private readonly store: IdempotencyStore,
  ) {}

  async run(
    write: KeyedWrite,
    effect: () => Promise<KeyedReply>,
  ): Promise<{ readonly outcome: 'first' | 'replayed'; readonly reply: KeyedReply }> {
    const streamed = write.content.complete ? undefined : await this.repliedTo(write);
    if (streamed !== undefined) return { outcome: 'replayed', reply: streamed };
    const progress = { opened: false, ran: false };
    const steps = {
      mayOpen: () => write.content.complete,
      opening: async (tx: TenantTransaction) => {
        const earlier = await this.begin(tx, write);
        progress.opened = true;
        return earlier;
      },
      closing: (tx: TenantTransaction, reply: KeyedReply) => this.keep(tx, write, reply),
    };
    try {
      const reply = await this.transactions.run(write.organizationId, steps, () => {
        progress.ran = true;
        return effect();
      });
      return { outcome: progress.ran ? 'first' : 'replayed', reply };
    } catch (error) {
      throw progress.opened || progress.ran ? error : asStoreFailure(error);
    }
  }

  /** First in the transaction: takes the key, or finds what it was used for. */
  private async begin(tx: TenantTransaction, write: KeyedWrite): Promise<KeyedReply | undefined> {
    if (!(await this.store.take(tx, write))) throw new Failure('limit.busy', { retryAfterMs: RETRY_MS });
    return this.earlierReply(tx, write);
  }

  /** The reply to an upload that came before, found before anything of the body is stored. */
  private async repliedTo(write: KeyedWrite): Promise<KeyedReply | undefined> {
    const known = await this.unitOfWork
      .withTenant(write.organizationId, (tx) => this.store.find(tx, write))
      .catch((error: unknown) => {
        throw asStoreFailure(error);
      });
    if (known === undefined) return undefined;
    await write.content.drain();
    return sameRequest(known, write);
  }

  private keep(tx: TenantTransaction, write: KeyedWrite, reply: KeyedReply): Promise<void> {
    if (reply.kept === false) return Promise.resolve();
    const kept = { fingerprint: write.content.fingerprint(), reply: withoutSecrets(reply) };
    return this.store.insert(tx, write, write.requestId, kept);
  }

  private async earlierReply(tx: TenantTransaction, write: KeyedWrite): Promise<KeyedReply | undefined> {
    const known = await this.store.find(tx, write);
    return known === undefined ? undefined : sameRequest(known, write);
  }
}

function sameRequest(known: { fingerprint: Buffer; reply: KeyedReply }, { content }: KeyedWrite): KeyedReply {
  if (known.fingerprint.equals(content.fingerprint())) return known.reply;
  throw new Failure('idempotency.mismatch', { reason: 'idempotency_mismatch' });
}

/** Before the key was taken nothing was run, whatever went wrong; that the store is away has a code of its own. */
function asStoreFailure(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'upstream.unavailable') return error;
  const { retryAfterMs = 2000 } = error.context;
  return new Failure('idempotency.store_down', { cause: error, retryAfterMs });
}
