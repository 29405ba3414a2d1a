import type pg from 'pg';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { HoldListing, UncountedHolds } from '../app/hold-listing.js';

/** Records of a page of the list; `legal_hold_pages` takes no more. */
export const PAGE_RECORDS = 1024;

const LAST = `SELECT page, listed[cardinality(listed)] AS record FROM legal_hold_pages WHERE organization_id = current_tenant() AND hold_id = $1 ORDER BY page DESC LIMIT 1`;
const OPEN = `DECLARE found NO SCROLL CURSOR FOR SELECT record FROM hold_records($1) AS record
  WHERE $2::text IS NULL OR record COLLATE "C" > $2 ORDER BY record COLLATE "C"`;
const ADD = 'SELECT add_hold_page($1, $2, $3) AS added';
const LEAVES =
  'SELECT hold_leaves(listed) AS leaves FROM legal_hold_pages WHERE organization_id = current_tenant() AND hold_id = $1 AND page = $2';

/**
 * Lists in plain SQL. One READ ONLY snapshot is read through a cursor, which keeps nobody from writing and the sequencer of the
 * audit log from nothing; the pages are written beside it.
 */
export class PostgresHoldListing implements HoldListing, UncountedHolds {
  constructor(
    private readonly pool: pg.Pool,
    private readonly pageRecords: number = PAGE_RECORDS,
  ) {}

  write(organizationId: string, holdId: string, signal: AbortSignal): Promise<boolean> {
    return withTenantSql(this.pool, organizationId, 'consistent read', async (client) => {
      const { rows } = await client.query<{ page: number; record: string }>(LAST, [holdId]);
      const last = rows[0];
      await client.query(OPEN, [holdId, last?.record ?? null]);
      for (let page = (last?.page ?? -1) + 1; ; page++) {
        const found = await client.query<{ record: string }>(`FETCH ${this.pageRecords} FROM found`);
        const records = found.rows.map(({ record }) => record);
        if (records.length === 0) return true;
        if (signal.aborted || !(await this.add(organizationId, holdId, page, records))) return false;
      }
    });
  }

  async *leaves(organizationId: string, holdId: string): AsyncGenerator<Uint8Array> {
    for (let page = 0; ; page++) {
      const leaves = await withTenantSql(this.pool, organizationId, 'read write', async (client) => {
        const { rows } = await client.query<{ leaves: Buffer }>(LEAVES, [holdId, page]);
        return rows[0]?.leaves;
      });
      if (leaves === undefined) return;
      yield leaves;
    }
  }

  async uncounted(limit: number): Promise<readonly { organizationId: string; holdId: string }[]> {
    const { rows } = await this.pool.query<{ organizationId: string; holdId: string }>(
      'SELECT organization_id AS "organizationId", hold_id AS "holdId" FROM uncounted_holds($1)',
      [limit],
    );
    return rows;
  }

  private add(organizationId: string, holdId: string, page: number, records: readonly string[]): Promise<boolean> {
    return withTenantSql(this.pool, organizationId, 'read write', async (client) => {
      const { rows } = await client.query<{ added: boolean }>(ADD, [holdId, page, records]);
      return rows[0]?.added === true;
    });
  }
}
