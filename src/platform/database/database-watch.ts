import pg from 'pg';
import type { Failure } from '../../kernel/failure/failure.js';
import type { DatabasePresence } from '../../kernel/ports/database-presence.js';
import { databaseAway } from './database-failure.js';
import { DatabaseSockets } from './database-sockets.js';

/** Steps in which silence is counted: a process that was held up itself counts one step, not the time it missed. */
const STEP_MS = 100;
const PROBE_EVERY_STEPS = 2;
const CUT_AFTER_MS = 3000;

export interface WatchOptions {
  readonly url: string;
  /** After how much silence the database counts as away. Milliseconds. */
  readonly silentMs: number;
  readonly log: { log(message: string): void; warn(message: string): void };
}

/**
 * Asks the database five times a second, on a connection of its own, whether it answers, so that calls need not find out
 * one by one: with the database away they fail at once (decision record 0037). A server that refuses is away at once, one
 * that is silent after `silentMs`; connections that are in use are cut only after three seconds of silence.
 */
export class DatabaseWatch implements DatabasePresence {
  readonly sockets = new DatabaseSockets();
  away = false;
  private readonly own = new DatabaseSockets();
  private readonly whenAway = new Set<() => void>();
  private readonly whenBack = new Set<() => void>();
  private client: pg.Client | undefined;
  private probe: { silentSteps: number } | undefined;
  private silentMs = 0;
  private steps = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: WatchOptions) {}

  start(): void {
    this.timer ??= setInterval(() => {
      this.step();
    }, STEP_MS).unref();
  }

  /** A question under way is given up with its connection; otherwise it would be asked again on a new one that nobody closes. */
  stop(): void {
    clearInterval(this.timer);
    this.giveUp();
  }

  failure(): Failure {
    return databaseAway();
  }

  onAway(listener: () => void): () => void {
    this.whenAway.add(listener);
    return () => this.whenAway.delete(listener);
  }

  onBack(listener: () => void): () => void {
    this.whenBack.add(listener);
    return () => this.whenBack.delete(listener);
  }

  private step(): void {
    this.steps++;
    if (this.probe === undefined) {
      if (this.steps % PROBE_EVERY_STEPS === 0) void this.ask();
      return;
    }
    this.probe.silentSteps++;
    if (this.probe.silentSteps * STEP_MS < this.options.silentMs) return;
    this.silentMs += this.probe.silentSteps * STEP_MS;
    this.giveUp();
    this.leave(`silent for ${this.silentMs} ms`);
    if (this.silentMs >= CUT_AFTER_MS) this.sockets.cut();
  }

  private async ask(): Promise<void> {
    const probe = { silentSteps: 0 };
    this.probe = probe;
    const problem = await this.problemOf(probe);
    if (this.probe !== probe) return; // given up meanwhile
    this.probe = undefined;
    this.silentMs = 0;
    if (problem === undefined) this.comeBack();
    else this.leave(problem);
  }

  /** One connection that breaks is not a database that is away: it is asked again on a new one. */
  private async problemOf(probe: object): Promise<string | undefined> {
    for (const last of [false, true]) {
      try {
        this.client ??= await this.connect();
        await this.client.query('SELECT 1');
        return undefined;
      } catch (error) {
        if (this.probe !== probe) return undefined;
        this.drop();
        if (last) return isAnswer(error) ? undefined : String(error);
      }
    }
    return undefined;
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.options.url,
      application_name: 'forecourt-watch',
      stream: this.own.next,
    });
    client.on('error', () => {
      if (this.client === client) this.client = undefined;
    });
    await client.connect();
    return client;
  }

  private giveUp(): void {
    this.probe = undefined;
    this.drop();
  }

  private drop(): void {
    this.client = undefined;
    this.own.cut();
  }

  private leave(problem: string): void {
    if (this.away) return;
    this.away = true;
    this.options.log.warn(`the database is away: ${problem}`);
    this.sockets.refuse();
    for (const listener of [...this.whenAway]) listener();
  }

  private comeBack(): void {
    if (!this.away) return;
    this.away = false;
    this.options.log.log('the database is back');
    this.sockets.allow();
    for (const listener of [...this.whenBack]) listener();
  }
}

// A server that says why it does not let us in is there, unless it says that it is starting or stopping.
function isAnswer(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('57P') && code !== 'EPIPE';
}
