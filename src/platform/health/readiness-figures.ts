import { type Figure, type FigureSource, gauge } from './figures.js';
import type { Readiness } from './readiness.js';

/** What `/health/ready` says, as figures. */
export class ReadinessFigures implements FigureSource {
  constructor(private readonly readiness: Pick<Readiness, 'report'>) {}

  async figures(): Promise<readonly Figure[]> {
    const { status, database, draining, pool } = await this.readiness.report();
    return [
      gauge('forecourt_ready', '1 where this process should get traffic.', Number(status === 'ready')),
      gauge('forecourt_database_up', '1 where the database answers.', Number(database === 'up')),
      gauge('forecourt_draining', '1 where this process is stopping.', Number(draining)),
      gauge('forecourt_database_connections', 'Connections of the pool.', pool.total),
      gauge('forecourt_database_connections_idle', 'Connections that nothing uses.', pool.idle),
      gauge('forecourt_database_connections_waiting', 'Requests that wait for a connection.', pool.waiting),
    ];
  }
}
