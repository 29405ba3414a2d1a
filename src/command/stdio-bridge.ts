import { answerLine, unreachableLine, unreadableLine } from './bridge-answers.js';
import type { ClientMessage, GatewayClient } from './gateway-client.js';
import { eventData } from './event-data.js';

/**
 * Carries messages between a desktop client on standard input and output and a gateway over HTTP: one line out for each
 * request, in the order of the requests. Only streams run beside the queue, and end when they are cancelled.
 */
export class StdioBridge {
  private queue: Promise<void> = Promise.resolve();
  private readonly open = new Map<unknown, AbortController>();
  private readonly streams = new Set<Promise<void>>();

  constructor(
    private readonly gateway: GatewayClient,
    private readonly write: (line: string) => void,
    private readonly log: (line: string) => void,
  ) {}

  /** Takes one line of standard input; undefined stands for one that was too long to be read. */
  take(line: string | undefined): void {
    const message = line === undefined ? undefined : parsed(line);
    if (message === undefined) this.inOrder(() => this.complain());
    else if (!('length' in message) && message.method === 'notifications/cancelled') this.cancel(message);
    else if ('length' in message) this.inOrder(() => this.carryBatch(message));
    else if (message.method === undefined) this.log('a message without a method was dropped');
    else this.carry(message);
  }

  /** Waits until everything that was asked is answered; streams end now. */
  async end(): Promise<void> {
    await this.queue;
    for (const aborter of this.open.values()) aborter.abort();
    await Promise.all(this.streams);
  }

  /** Ends at once: what is under way is given up. */
  async stop(): Promise<void> {
    for (const aborter of this.open.values()) aborter.abort();
    await this.end();
  }

  private carry(message: ClientMessage): void {
    const aborter = new AbortController();
    if (message.id !== undefined) this.open.set(message.id, aborter);
    const work = async (): Promise<void> => {
      await this.exchange(message, aborter.signal);
      this.open.delete(message.id);
    };
    if (message.method !== 'subscriptions/listen') {
      this.inOrder(work);
      return;
    }
    const stream = work().finally(() => this.streams.delete(stream));
    this.streams.add(stream);
  }

  private inOrder(work: () => Promise<void>): void {
    this.queue = this.queue.then(work);
  }

  /** A cancelled request gets no answer (MCP cancellation). Closing the connection cancels it at the gateway, too. */
  private cancel({ params }: ClientMessage): void {
    this.open.get(params?.['requestId'])?.abort();
  }

  private async exchange(message: ClientMessage, signal: AbortSignal): Promise<void> {
    const asks = message.id !== undefined;
    try {
      const response = await this.gateway.post(message, signal);
      if (isStream(response)) {
        for await (const data of eventData(response)) this.write(JSON.stringify(JSON.parse(data)));
        return;
      }
      const text = await response.text();
      if (!asks) return;
      const body: unknown = JSON.parse(text);
      if (message.method === 'initialize') this.gateway.settle((body as { result?: unknown }).result);
      this.write(answerLine(message, response.status, body));
    } catch (error) {
      if (signal.aborted) return;
      this.log(`the gateway gave no answer: ${reasonOf(error)}`);
      if (asks) this.write(unreachableLine(message));
    }
  }

  private complain(): Promise<void> {
    this.write(unreadableLine());
    return Promise.resolve();
  }

  /** A batch of 2025-03-26 is one line in and one line out. */
  private async carryBatch(batch: readonly unknown[]): Promise<void> {
    try {
      const response = await this.gateway.post(batch, AbortSignal.timeout(BATCH_TIMEOUT_MS));
      const text = await response.text();
      if (text !== '') this.write(JSON.stringify(JSON.parse(text)));
    } catch (error) {
      this.log(`the gateway gave no answer: ${reasonOf(error)}`);
      this.write(unreachableLine({}));
    }
  }
}

const BATCH_TIMEOUT_MS = 60_000;

const isStream = (response: Response): boolean =>
  response.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The kind of the error and never its text, which may hold what was sent. */
const reasonOf = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: unknown } };
  if (typeof cause?.code === 'string') return cause.code;
  return error instanceof Error ? error.name : 'unknown';
};

function parsed(line: string): ClientMessage | readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
