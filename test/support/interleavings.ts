import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** SQL, or work on the transaction's connection. */
export type Step = string | (() => Promise<unknown>);

/** A transaction in steps, on a connection of its own. Its first step begins it, its last one commits it. */
export interface Stepped {
  readonly client: pg.ClientBase;
  readonly steps: readonly Step[];
}

export type Who = 'a' | 'b';
export type Pair = Readonly<Record<Who, Stepped>>;

/** What became of one order of the steps. */
export interface Interleaving {
  /** Whose turn it was, for example `aabab`. A step that waits for a lock goes on as soon as the lock is free. */
  readonly order: string;
  /** Transactions that came to their last step, in the order in which they did. */
  readonly ended: readonly Who[];
  /** SQLSTATE that refused a transaction (`40P01`: deadlock); the rest of its steps was left out, and it was rolled back. */
  readonly refused: Readonly<Partial<Record<Who, string>>>;
  /** Transactions that waited for a lock at least once. */
  readonly waited: ReadonlySet<Who>;
}

/** Milliseconds after which the database is asked whether a step without an answer waits for a lock or is only slow. */
const ANSWER_MS = 8;

/**
 * Runs two transactions in every order of their steps, (a + b)! / (a! b!) of them. One step is begun at a time; one that waits
 * for a lock is left alone, and what its transaction owes by then is done once it has its answer.
 * @param watcher connection that looks who waits
 * @param prepare makes the state that every order begins with
 */
export async function* everyInterleaving(
  watcher: pg.ClientBase,
  pair: Pair,
  prepare: () => Promise<unknown>,
): AsyncGenerator<Interleaving> {
  for (const order of orders(pair.a.steps.length, pair.b.steps.length)) {
    await prepare();
    yield await runInterleaving(watcher, pair, order);
  }
}

/** Runs two transactions in one order of their steps. */
export async function runInterleaving(watcher: pg.ClientBase, pair: Pair, order: string): Promise<Interleaving> {
  const ended: Who[] = [];
  const waited = new Set<Who>();
  const courses = { a: new Course(pair.a, () => ended.push('a')), b: new Course(pair.b, () => ended.push('b')) };
  const both = Object.entries(courses) as [Who, Course][];

  const goOn = async (): Promise<void> => {
    for (let next; (next = both.find(([, course]) => course.owesStep())) !== undefined;) {
      next[1].begin();
      while (!(await answered(both))) {
        const waiting = await Promise.all(both.map(([, course]) => course.waitsForLock(watcher)));
        both.forEach(([who], i) => waiting[i] && waited.add(who));
        if (both.every(([, course], i) => waiting[i] === true || !course.inFlight)) break;
      }
    }
  };
  for (const who of order as Iterable<Who>) {
    courses[who].turns++;
    await goOn();
  }
  while (both.some(([, course]) => course.inFlight)) {
    await Promise.race(both.filter(([, course]) => course.inFlight).map(([, course]) => course.answer));
    await goOn();
  }
  const refusals = both.flatMap(([who, { refusal }]) => (refusal === undefined ? [] : [[who, refusal] as const]));
  return { order, ended, refused: Object.fromEntries(refusals), waited };
}

/** How far a transaction has come. */
class Course {
  /** Steps that it was its turn for. */
  turns = 0;
  refusal: string | undefined;
  inFlight = false;
  answer: Promise<void> = Promise.resolve();
  private begun = 0;

  constructor(
    private readonly transaction: Stepped,
    private readonly end: () => void,
  ) {}

  owesStep(): boolean {
    return !this.inFlight && this.refusal === undefined && this.begun < this.turns;
  }

  begin(): void {
    this.inFlight = true;
    this.answer = this.run(this.begun++).finally(() => (this.inFlight = false));
  }

  async waitsForLock(watcher: pg.ClientBase): Promise<boolean> {
    if (!this.inFlight) return false;
    const { processID } = this.transaction.client as pg.ClientBase & { processID: number };
    const { rows } = await watcher.query<{ waits: boolean }>('SELECT cardinality(pg_blocking_pids($1)) > 0 AS waits', [
      processID,
    ]);
    return rows[0]?.waits === true;
  }

  private async run(index: number): Promise<void> {
    const { client, steps } = this.transaction;
    const step = steps[index];
    if (step === undefined) return;
    try {
      await (typeof step === 'string' ? client.query(step) : step());
      if (index === steps.length - 1) this.end();
    } catch (error) {
      this.refusal = sqlStateOf(error);
      await client.query('ROLLBACK');
    }
  }
}

/** Whether nothing is in flight; waits a moment for it. */
async function answered(both: readonly (readonly [Who, Course])[]): Promise<boolean> {
  const pause = new AbortController();
  await Promise.race([
    Promise.all(both.map(([, course]) => course.answer)),
    delay(ANSWER_MS, undefined, { signal: pause.signal }).catch(() => undefined),
  ]);
  pause.abort();
  return both.every(([, course]) => !course.inFlight);
}

function* orders(a: number, b: number): Generator<string> {
  if (a === 0 || b === 0) {
    yield 'a'.repeat(a) + 'b'.repeat(b);
    return;
  }
  for (const rest of orders(a - 1, b)) yield `a${rest}`;
  for (const rest of orders(a, b - 1)) yield `b${rest}`;
}

/** @throws the error itself when it is not the database's */
function sqlStateOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string') throw error;
  return code;
}
