import type pg from 'pg';
import type { AuditHorizon } from '../app/check-journal.js';

const TRIES = 50;
const PAUSE_MS = 100;

export class PostgresAuditHorizon implements AuditHorizon {
  constructor(private readonly pool: pg.Pool) {}

  async isForeign(): Promise<boolean> {
    const { rows } = await this.pool.query<{ foreign: boolean }>('SELECT audit_horizon_is_foreign() AS foreign');
    return rows[0]?.foreign === true;
  }

  /** @throws Error while another process goes on numbering. */
  async reset(): Promise<number> {
    for (let i = 0; i < TRIES; i++) {
      const { rows } = await this.pool.query<{ numbered: string }>('SELECT reset_audit_horizon() AS numbered');
      const numbered = Number(rows[0]?.numbered ?? -1);
      if (numbered >= 0) return numbered;
      await new Promise((done) => setTimeout(done, PAUSE_MS));
    }
    throw new Error('the audit trail is being numbered by another process: stop every process of the service first');
  }
}
