import type pg from 'pg';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import type { IdempotencySweep } from '../app/idempotency-store.js';

/** Deletes through a function that sees no reply younger than a day, whatever it is asked. */
export class PostgresIdempotencySweep implements IdempotencySweep {
  constructor(private readonly pool: pg.Pool) {}

  async sweep(keptHours: number, limit: number): Promise<number> {
    try {
      const { rows } = await this.pool.query<{ swept: number }>(
        'SELECT sweep_idempotency_keys(make_interval(hours => $1), $2) AS swept',
        [keptHours, limit],
      );
      return rows[0]?.swept ?? 0;
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}
