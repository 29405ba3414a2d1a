import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type Environment = Readonly<Record<string, string>>;

/** A process of the product with nothing of the test's own environment, and everything it writes. */
export class ChildService {
  private readonly child: ChildProcess;
  private written = '';
  private answered = '';
  readonly ended: Promise<Ended>;

  constructor(args: readonly string[], env: Environment) {
    const { PATH = '', HOME = '' } = process.env;
    this.child = spawn(process.execPath, [...args], { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.written += text));
    }
    this.child.stdout?.on('data', (text: string) => (this.answered += text));
    this.ended = new Promise((done) => {
      this.child.once('close', (code, signal) => {
        done({ code, signal });
      });
    });
  }

  get output(): string {
    return this.written;
  }

  /** What it wrote for another program to read, without what it told a person. */
  get stdout(): string {
    return this.answered;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits until the process has written the text; fails with all it wrote when it ends before. */
  async until(text: string): Promise<void> {
    const over = this.ended.then(() => true);
    const pause = (): Promise<false> => new Promise((done) => setTimeout(done, 50, false));
    while (!this.written.includes(text)) {
      if (await Promise.race([over, pause()])) {
        if (this.written.includes(text)) return;
        throw new Error(`the process ended without «${text}»:\n${this.written}`);
      }
    }
  }

  /** Ends the process, kindly first, and waits for it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.kill(signal);
    return this.ended;
  }
}

/** Runs a program to its end. */
export async function runToEnd(
  args: readonly string[],
  env: Environment,
): Promise<Ended & { readonly output: string; readonly stdout: string }> {
  const child = new ChildService(args, env);
  return { ...(await child.ended), output: child.output, stdout: child.stdout };
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}
