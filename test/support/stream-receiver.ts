import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedBatch {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly replay_id: string | null;
  readonly rows: readonly { readonly seq: number; readonly canon?: string; readonly event?: object }[];
}

type Behaviour = number | 'late' | 'torn';

/** A receiver of signed batches over real HTTP, which fails as it is told to. */
export class StreamReceiver {
  readonly taken: ReceivedBatch[] = [];
  readonly badSignatures: string[] = [];
  /** How many signatures each attempt had. */
  readonly signatures: number[] = [];
  attempts = 0;

  private constructor(
    private readonly server: Server,
    readonly authority: string,
  ) {}

  /**
   * @param secretOf the secret, once it is known
   * @param behave what becomes of the n-th attempt: a status, `late` for no answer, `torn` for one that is taken and whose answer is lost;
   *   a promise keeps it waiting
   */
  static async start(
    secretOf: () => string,
    behave: (attempt: number) => Behaviour | Promise<Behaviour> = () => 204,
  ): Promise<StreamReceiver> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        const {
          'webhook-id': id = '',
          'webhook-timestamp': at = '',
          'webhook-signature': signed = '',
        } = request.headers as Record<string, string>;
        const key = Buffer.from(secretOf().slice('whsec_'.length), 'base64');
        const expected = `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
        if (!signed.split(' ').includes(expected)) receiver.badSignatures.push(id);
        receiver.signatures.push(signed.split(' ').length);
        void Promise.resolve(behave(++receiver.attempts)).then((answer) => {
          if (answer === 'late') return;
          if (answer === 'torn' || answer < 300)
            receiver.taken.push({ ...(JSON.parse(body) as Omit<ReceivedBatch, 'id'>), id });
          if (answer === 'torn') request.socket.destroy();
          else response.writeHead(answer).end();
        });
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const receiver = new StreamReceiver(server, `127.0.0.1:${port}`);
    return receiver;
  }

  get url(): string {
    return `http://${this.authority}/audit`;
  }

  /** Every number that was taken, repetitions included. */
  get seqs(): readonly number[] {
    return this.taken.flatMap(({ rows }) => rows.map(({ seq }) => seq));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
