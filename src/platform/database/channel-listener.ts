import type pg from 'pg';

const RECONNECT_MS = 1000;

/**
 * Hears what is announced on one channel in the moment it is committed. Holds one connection and opens it again when it is
 * lost; `onGap` says that announcements may have been missed: after each connect.
 */
export class ChannelListener {
  private client: pg.PoolClient | undefined;
  private retry: NodeJS.Timeout | undefined;
  private closed = false;

  /** Takes over the pool, which needs one connection. `channel` is a name of ours, never input. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly channel: string,
    private readonly onChange: (payload: string) => void,
    private readonly onGap: () => void,
  ) {}

  start(): void {
    void this.connect();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    this.drop();
    await this.pool.end();
  }

  private async connect(): Promise<void> {
    try {
      const client = await this.pool.connect();
      if (this.closed) {
        client.release(true); // closed meanwhile: a connection kept now would hold up the end of the pool for ever
        return;
      }
      this.client = client;
      client.on('notification', (message) => {
        if (message.payload !== undefined) this.onChange(message.payload);
      });
      client.on('error', () => {
        this.reconnect(client);
      });
      client.on('end', () => {
        this.reconnect(client);
      });
      await client.query(`LISTEN ${this.channel}`);
      this.onGap();
    } catch {
      this.reconnect(this.client);
    }
  }

  private reconnect(lost: pg.PoolClient | undefined): void {
    if (this.closed || lost !== this.client) return;
    this.drop();
    clearTimeout(this.retry);
    this.retry = setTimeout(() => void this.connect(), RECONNECT_MS).unref();
  }

  private drop(): void {
    const client = this.client;
    this.client = undefined;
    client?.removeAllListeners('notification');
    try {
      client?.release(true);
    } catch {
      // already released by the pool, which noticed the loss first
    }
  }
}
