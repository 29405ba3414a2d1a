import type pg from 'pg';
import type { Clock } from '../../../kernel/time.js';
import type { ClockOffset } from '../app/clock-offset.js';
import type { ClockReading } from '../domain/log/clock-line.js';

/** Asks the database for its time and takes the middle of the round trip for the moment of its answer. */
export class PostgresClockOffset implements ClockOffset {
  constructor(
    private readonly pool: pg.Pool,
    private readonly clock: Clock,
  ) {}

  async measure(): Promise<ClockReading> {
    const client = await this.pool.connect(); // waiting for a connection is no part of the round trip
    try {
      const before = this.clock.now();
      const { rows } = await client.query<{ now: number }>(
        'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
      );
      const after = this.clock.now();
      const offsetMs = Math.round((before + after) / 2 - (rows[0]?.now ?? NaN));
      return { offsetMs, uncertaintyMs: Math.max(1, Math.ceil((after - before) / 2)) };
    } finally {
      client.release();
    }
  }
}
