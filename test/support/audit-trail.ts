import pg from 'pg';
import type { TestDatabase } from './database.js';

export interface AuditRow {
  readonly event_id: string;
  readonly organization_id: string;
  readonly occurred_at: Date;
  readonly trace_id: string;
  readonly surface: string;
  readonly operation: string;
  readonly profile: string | null;
  readonly actor_kind: string;
  readonly actor: string | null;
  readonly rooftop_ids: readonly string[];
  readonly resource_ids: readonly string[];
  readonly decision: string;
  readonly reason: string | null;
  readonly policy_version: string | null;
  readonly outcome: string;
  readonly failure_code: string | null;
}

/** Looks at the audit trail from behind row-level security. */
export class AuditTrail {
  private constructor(private readonly admin: pg.Client) {}

  static async open(database: TestDatabase): Promise<AuditTrail> {
    const admin = new pg.Client({ connectionString: database.adminUrl, options: '-c search_path=forecourt' });
    admin.on('error', () => undefined); // the database is dropped after the test
    await admin.connect();
    return new AuditTrail(admin);
  }

  async count(): Promise<number> {
    const { rows } = await this.admin.query<{ count: string }>('SELECT count(*) FROM audit_events');
    return Number(rows[0]?.count);
  }

  /** Every record of one request id. */
  async ofEvent(eventId: string | null): Promise<readonly AuditRow[]> {
    const { rows } = await this.admin.query<AuditRow>('SELECT * FROM audit_events WHERE event_id = $1', [eventId]);
    return rows;
  }

  async ofOperation(operation: string): Promise<readonly AuditRow[]> {
    const { rows } = await this.admin.query<AuditRow>(
      'SELECT * FROM audit_events WHERE operation = $1 ORDER BY recorded_at',
      [operation],
    );
    return rows;
  }

  /** All of it as text, canonical bytes included: to prove that something is not in it. */
  async text(): Promise<string> {
    const { rows } = await this.admin.query<{ line: string }>(
      `SELECT audit_events::text || convert_from(canon, 'UTF8') AS line FROM audit_events`,
    );
    return rows.map((row) => row.line).join('\n');
  }

  /** What `work` added to the trail. */
  async addedBy(work: () => Promise<unknown>): Promise<number> {
    const before = await this.count();
    await work();
    return (await this.count()) - before;
  }

  close(): Promise<void> {
    return this.admin.end();
  }
}
