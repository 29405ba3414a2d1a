import type pg from 'pg';
import type { SequencingLag } from '../app/audit-health.js';

export class PostgresSequencingLag implements SequencingLag {
  constructor(private readonly pool: pg.Pool) {}

  async lagSeconds(): Promise<number> {
    const { rows } = await this.pool.query<{ lag: number | null }>('SELECT audit_lag_seconds() AS lag');
    return rows[0]?.lag ?? 0; // null: nothing waits
  }
}
