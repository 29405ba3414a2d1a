import type pg from 'pg';
import type { Clock } from '../../../kernel/time.js';
import { databaseFailure } from '../../../platform/database/database-failure.js';
import type { UsedProofs } from '../app/used-proofs.js';

// A row that is over may be taken again before the sweep has found it.
const TAKE = `INSERT INTO dpop_proofs AS p (digest, until) VALUES ($1, $2)
  ON CONFLICT (digest) DO UPDATE SET until = excluded.until WHERE p.until <= $3`;
const SWEEP = `DELETE FROM dpop_proofs WHERE digest IN
  (SELECT digest FROM dpop_proofs WHERE until < $1 ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED)`;

const SWEEP_EVERY_MS = 10_000;
/** More than a process can write between two sweeps (LIMITS.dpopProofsRemembered in two minutes). */
const SWEPT_AT_ONCE = 10_000;
/** Clocks of processes differ by less. */
const GRACE_MS = 60_000;

/** One table for all processes; committed before the call goes on. Rows that are over go with later writes. */
export class PostgresUsedProofs implements UsedProofs {
  private sweptAt = 0;

  constructor(
    private readonly pool: pg.Pool,
    private readonly clock: Clock,
  ) {}

  async takeOnce(digest: Buffer, until: number): Promise<boolean> {
    const now = this.clock.now();
    try {
      const values = [digest, new Date(until), new Date(now)];
      const { rowCount } = await this.pool.query({ name: 'take-dpop-proof', text: TAKE, values });
      return rowCount === 1;
    } catch (error) {
      throw databaseFailure(error);
    } finally {
      if (Math.abs(now - this.sweptAt) >= SWEEP_EVERY_MS) this.sweep(now);
    }
  }

  /** Beside the call, which does not wait for it; what is left is found by the next one. */
  private sweep(now: number): void {
    this.sweptAt = now;
    const values = [new Date(now - GRACE_MS), SWEPT_AT_ONCE];
    this.pool.query({ name: 'sweep-dpop-proofs', text: SWEEP, values }).catch(() => undefined);
  }
}
