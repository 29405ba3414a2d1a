import pg from 'pg';
import type { Step, Stepped } from './interleavings.js';

/**
 * A use case as a transaction in steps: it works on a pool of one connection, whose statements wait for their turn. A step lets one
 * statement through and ends when the use case asks for the next one, or is over.
 */
export class SteppedUseCase {
  private statements = 0;
  private stepping = false;
  private over = true;
  private failure: unknown;
  private asked: (() => void) | undefined;
  private tell: () => void = () => undefined;

  private constructor(
    readonly pool: pg.Pool,
    private readonly client: pg.ClientBase,
  ) {}

  /** @param options start-up parameters of the connection */
  static async open(url: string, options: string): Promise<SteppedUseCase> {
    // The client is made by the pool before the gate is there.
    const gate: { current?: SteppedUseCase } = {};
    class GatedClient extends pg.Client {
      override query(...args: unknown[]): never {
        const send = (): unknown => super.query(...(args as [string]));
        return (gate.current === undefined ? send() : gate.current.pass(send)) as never;
      }
    }
    const pool = new pg.Pool({ connectionString: url, options, max: 1, idleTimeoutMillis: 0, Client: GatedClient });
    const client = await pool.connect();
    client.on('error', () => undefined);
    client.release();
    return (gate.current = new SteppedUseCase(pool, client));
  }

  /** @param run the use case; it runs once alone, so that its statements are counted. */
  async stepped(run: () => Promise<unknown>): Promise<Stepped> {
    this.statements = 0;
    await run();
    const steps = Array.from({ length: this.statements }, (_, i): Step => {
      return () => this.step(run, { first: i === 0, last: i === this.statements - 1 });
    });
    return { client: this.client, steps };
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async step(run: () => Promise<unknown>, { first, last }: { first: boolean; last: boolean }): Promise<void> {
    if (first) await this.begin(run);
    do {
      const next = this.changed();
      this.asked?.();
      if (!this.over) await next;
    } while (last && !this.over);
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure as Error;
  }

  private async begin(run: () => Promise<unknown>): Promise<void> {
    this.stepping = true;
    this.over = false;
    const asks = this.changed();
    run()
      .catch((error: unknown) => (this.failure = error))
      .finally(() => {
        this.stepping = false;
        this.over = true;
        this.tell();
      })
      .catch(() => undefined);
    await asks;
  }

  private pass(send: () => unknown): unknown {
    if (!this.stepping) {
      this.statements++;
      return send();
    }
    return new Promise((resolve, reject) => {
      this.asked = () => {
        this.asked = undefined;
        Promise.resolve(send()).then(resolve, reject);
      };
      this.tell();
    });
  }

  /** Resolves when the use case asks for its next statement, or is over. */
  private changed(): Promise<void> {
    return new Promise((resolve) => (this.tell = resolve));
  }
}
