import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Somebody else's webhook on a real port, which may refuse. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = [];
  /** Answers of the next messages; 204 when there are none. `never` leaves the sender waiting. */
  readonly answers: (number | 'never')[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.messages.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
        const answer = receiver.answers.shift() ?? 204;
        if (answer !== 'never') response.writeHead(answer).end();
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return receiver;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
