import { Socket } from 'node:net';

/**
 * The sockets of all pools of this process. While the database is away new ones fail at once instead of waiting for a
 * server that does not answer; sockets that hang can be cut, which fails what waits on them.
 */
export class DatabaseSockets {
  private readonly open = new Set<Socket>();
  private refusing = false;

  /** A socket for a new connection (`stream` of the driver's configuration). */
  readonly next = (): Socket => {
    const socket = new Socket();
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    if (this.refusing) process.nextTick(() => socket.destroy(away()));
    return socket;
  };

  /** Refuses new connections and gives those up that are not established yet. */
  refuse(): void {
    this.refusing = true;
    for (const socket of this.open) if (socket.connecting) socket.destroy(away());
  }

  allow(): void {
    this.refusing = false;
  }

  /** Cuts every connection. Whether what was sent has taken effect is not known. */
  cut(): void {
    for (const socket of this.open) socket.destroy(away());
  }
}

const away = (): Error => Object.assign(new Error('the database does not answer'), { code: 'ECONNREFUSED' });
