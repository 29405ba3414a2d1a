import type pg from 'pg';

export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready';
  readonly database: 'up' | 'down';
  readonly draining: boolean;
  readonly pool: { readonly total: number; readonly idle: number; readonly waiting: number };
}

const PROBE_TIMEOUT_MS = 1500;

/** Whether this process should get traffic. */
export class Readiness {
  private draining = false;

  constructor(private readonly pool: pg.Pool) {}

  /** From now on the process asks for no new traffic. */
  startDraining(): void {
    this.draining = true;
  }

  async report(): Promise<ReadinessReport> {
    const up = await this.databaseAnswers();
    const { totalCount, idleCount, waitingCount } = this.pool;
    return {
      status: up && !this.draining ? 'ready' : 'not_ready',
      database: up ? 'up' : 'down',
      draining: this.draining,
      pool: { total: totalCount, idle: idleCount, waiting: waitingCount },
    };
  }

  private async databaseAnswers(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((done) => (timer = setTimeout(() => done(false), PROBE_TIMEOUT_MS)));
    const probe = this.pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
    const up = await Promise.race([probe, timeout]);
    clearTimeout(timer);
    return up;
  }
}
