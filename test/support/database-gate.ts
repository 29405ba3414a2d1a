import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * Stands before a database server at an address that stays the same: lets connections through, refuses them, or takes
 * them and says nothing, as a server does that hangs.
 */
export class DatabaseGate {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private target = 0;
  private mute = false;
  private port = 0;

  /** Lets through to the server on this port; the first time, on a free port of its own. */
  async open(target: number): Promise<void> {
    this.target = target;
    this.mute = false;
    if (this.server !== undefined) return;
    const server = createServer((client) => {
      this.join(client);
    });
    this.server = server;
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    this.port = (server.address() as AddressInfo).port;
  }

  /** The URL with this gate in place of the server. */
  urlOf(url: string): string {
    const gated = new URL(url);
    gated.port = String(this.port);
    return gated.toString();
  }

  /** From now on connections are refused; those that there are break. */
  async refuse(): Promise<void> {
    if (this.server === undefined) return;
    const closed = new Promise((done) => this.server?.close(done));
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** From now on nothing comes through, and nobody is told. */
  hang(): void {
    this.mute = true;
  }

  private join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (chunk) => {
        if (!this.mute) to.write(chunk);
      });
      from.on('error', () => undefined); // its end is what counts
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    }
  }
}
