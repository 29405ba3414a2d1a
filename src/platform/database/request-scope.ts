import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure } from '../../kernel/failure/failure.js';
import type { RequestTransactionSteps } from '../../kernel/ports/request-transactions.js';
import type { TenantTransaction } from '../../kernel/ports/unit-of-work.js';
import { prismaOf, sameTransaction } from './prisma-unit-of-work.js';

type Open = (work: (tx: TenantTransaction) => Promise<void>) => Promise<void>;

/** A unit of work inside the request's transaction: one organization at a time, each inside the one that called it. */
interface Frame {
  readonly tx: TenantTransaction;
  readonly ready: Promise<unknown>;
  /** Units of work of the same organization that run beside this one. */
  readonly guests: Set<Promise<unknown>>;
  /** Set when it takes no more guests: what comes waits for its end. */
  ending: Promise<void> | undefined;
}

interface Place {
  readonly scope: RequestScope<unknown>;
  readonly frame: Frame | undefined;
}

// The one ambient thing of the product: units of work are called deep inside use cases that know nothing of requests.
const places = new AsyncLocalStorage<Place | undefined>();
let openScopes = 0;

/** The transaction of one request, from its first unit of work to its answer. */
export class RequestScope<T> {
  /** What happens once everything is committed. */
  readonly afterCommit: (() => Promise<void>)[] = [];
  private readonly frames: Frame[] = [];
  private root: Promise<Frame> | undefined;
  private earlier: T | undefined;
  private committed: Promise<void> | undefined;
  private finish: (() => void) | undefined;
  private abandon: ((reason: unknown) => void) | undefined;
  private answer: { readonly value: T } | undefined;
  private ended = false;
  private broken = false;

  constructor(
    private readonly open: Open,
    private readonly steps: RequestTransactionSteps<T>,
  ) {}

  /** The scope that the running code belongs to, while units of work may join it. */
  static current(): RequestScope<unknown> | undefined {
    const scope = places.getStore()?.scope;
    return scope === undefined || scope.ended || !scope.mayJoin() ? undefined : scope;
  }

  async run(request: () => Promise<T>): Promise<T> {
    openScopes++;
    try {
      return await this.carryOut(request);
    } finally {
      // While it is on, Node 20 calls a hook for every promise of the process: a fifth of what an agent's call costs.
      if (--openScopes === 0) places.disable();
    }
  }

  private async carryOut(request: () => Promise<T>): Promise<T> {
    if (this.steps.mayOpen()) {
      await this.begin();
      if (this.earlier !== undefined) return this.giveBack(this.earlier);
    }
    try {
      const value = await places.run({ scope: this as RequestScope<unknown>, frame: undefined }, request);
      await this.begin(); // a request that has written nothing is remembered, too
      if (this.broken) throw new Error('a unit of work failed beside another one, and the request went on');
      this.answer = { value };
      return await this.giveBack(value);
    } catch (error) {
      if (isRecorded(error) && !this.broken) await this.commit();
      else await this.rollBack(error);
      throw error;
    } finally {
      this.ended = true;
    }
  }

  /** Runs a unit of work in the request's transaction, for the organization that it names. */
  async join<R>(organizationId: string, work: (tx: TenantTransaction) => Promise<R>): Promise<R> {
    const root = await this.begin();
    if (this.earlier !== undefined) throw new Failure('limit.busy', { retryAfterMs: 100 });
    const caller = places.getStore()?.frame ?? root;
    let top = this.frames.at(-1) ?? root;
    while (top !== caller && top.ending !== undefined) {
      await top.ending;
      top = this.frames.at(-1) ?? root;
    }
    if (top === caller) return this.nest(top, organizationId, work);
    if (top.tx.organizationId !== organizationId)
      throw new Error('a request writes for one organization at a time, or for one inside the other');
    return this.besides(top, work);
  }

  private mayJoin(): boolean {
    return this.root !== undefined || this.steps.mayOpen();
  }

  /** Opens the transaction and keeps it open until the request has been answered. */
  private begin(): Promise<Frame> {
    this.root ??= new Promise<Frame>((resolve, reject) => {
      this.committed = this.open(async (tx) => {
        this.earlier = await this.steps.opening(tx);
        const end = new Promise<void>((finish, abandon) => {
          this.finish = finish;
          this.abandon = abandon;
        });
        resolve({ tx, ready: Promise.resolve(), guests: new Set(), ending: undefined });
        await end;
        if (this.answer !== undefined) await this.steps.closing(tx, this.answer.value);
      });
      this.committed.catch(reject); // of what failed before it was open; afterwards whoever ends it hears of it
    });
    return this.root;
  }

  private async giveBack(value: T): Promise<T> {
    await this.commit();
    return value;
  }

  private async commit(): Promise<void> {
    this.ended = true;
    this.finish?.();
    await this.committed;
  }

  private async rollBack(reason: unknown): Promise<void> {
    this.ended = true;
    this.abandon?.(reason);
    await this.committed?.catch(() => undefined);
  }

  /** A part of the transaction that is undone by itself when it fails, and whose tenant is put back afterwards. */
  private async nest<R>(outer: Frame, organizationId: string, work: (tx: TenantTransaction) => Promise<R>): Promise<R> {
    const tx = sameTransaction(outer.tx, organizationId);
    const savepoint = `unit_${this.frames.length}`;
    const prisma = prismaOf(tx);
    const ready = prisma.$executeRawUnsafe(`SAVEPOINT ${savepoint}`).then(() => setTenant(outer.tx, tx));
    const frame: Frame = { tx, ready, guests: new Set(), ending: undefined };
    let over = (): void => undefined;
    this.frames.push(frame);
    const end = async (): Promise<void> => {
      while (frame.guests.size > 0) await Promise.allSettled([...frame.guests]);
      frame.ending = new Promise((done) => (over = done));
    };
    try {
      await ready;
      const result = await places.run({ scope: this as RequestScope<unknown>, frame }, () => work(tx));
      await end();
      await prisma.$executeRawUnsafe(`RELEASE SAVEPOINT ${savepoint}`);
      await setTenant(tx, outer.tx);
      return result;
    } catch (error) {
      await end();
      // The tenant is put back with it. Where that fails the connection is lost, and with it everything.
      await prisma.$executeRawUnsafe(`ROLLBACK TO SAVEPOINT ${savepoint}`).catch(() => (this.broken = true));
      throw error;
    } finally {
      this.frames.pop();
      over();
    }
  }

  private async besides<R>(host: Frame, work: (tx: TenantTransaction) => Promise<R>): Promise<R> {
    const running = host.ready.then(() =>
      places.run({ scope: this as RequestScope<unknown>, frame: host }, () => work(host.tx)),
    );
    host.guests.add(running);
    try {
      return await running;
    } catch (error) {
      this.broken = true; // its part cannot be undone alone, so the request cannot succeed any more
      throw error;
    } finally {
      host.guests.delete(running);
    }
  }
}

/** A failure that is the outcome of a recorded change, such as an action that now waits for a person, undoes nothing. */
function isRecorded(error: unknown): boolean {
  return error instanceof Failure && error.context.recorded === true;
}

async function setTenant(from: TenantTransaction, to: TenantTransaction): Promise<void> {
  if (from.organizationId === to.organizationId) return;
  await prismaOf(to).$queryRaw`SELECT set_config('app.tenant', ${to.organizationId}, true)`;
}
