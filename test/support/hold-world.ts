import pg from 'pg';
import { newRequestId, traceIdOfRequest } from '../../src/kernel/ids.js';
import type { Approvals, ApprovalStatus } from '../../src/kernel/ports/approvals.js';
import type { JournalEntry, RestoreJournal } from '../../src/kernel/ports/restore-journal.js';
import { SystemClock } from '../../src/kernel/time.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import type { HoldOrigin, HoldParts } from '../../src/modules/holds/app/hold-parts.js';
import { PlaceHold } from '../../src/modules/holds/app/place-hold.js';
import { ReleaseHold } from '../../src/modules/holds/app/release-hold.js';
import type { RequestedHold } from '../../src/modules/holds/domain/legal-hold.js';
import { PostgresHolds } from '../../src/modules/holds/infra/postgres-holds.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { createTestDatabase, type TestDatabase } from './database.js';

export const ORGANIZATION = 'org.held';
export const TENANT = `SELECT set_config('app.tenant', '${ORGANIZATION}', true)`;

/** Keeps what it was given; `refuse` makes it fail, or does something to the transaction that waits for it. */
export class RecordingJournal implements RestoreJournal {
  readonly entries: JournalEntry[] = [];
  refuse: (() => Promise<void>) | undefined;

  async append(entry: JournalEntry): Promise<void> {
    await this.refuse?.();
    this.entries.push(entry);
  }

  subjectHash(_organizationId: string, subject: string): string {
    return subject;
  }

  subjectHashes(_organizationId: string, subject: string): readonly string[] {
    return [subject];
  }
}

/** Approvals that have been given: who may approve is tested with the approvals themselves. */
const given: Approvals = {
  request: () => Promise.resolve(approved),
  spend: () => Promise.resolve({ ...approved, state: 'used' }),
};
const approved: ApprovalStatus = { approvalId: 'apr.1', state: 'approved', expiresAt: 0, approvers: ['a'], missing: 0 };

export interface WorldOptions {
  readonly lockMs?: number;
  readonly countMs?: number;
  /** Records that are counted at once. */
  readonly most?: number;
  /** Milliseconds. */
  readonly coolingMs?: number;
}

/** The use cases of holds on a real database, with a governed table `things` and one like it that nothing guards. */
export class HoldWorld {
  readonly journal = new RecordingJournal();
  readonly queued: string[] = [];
  private readonly units = new Map<pg.Pool, PrismaUnitOfWork>();

  private constructor(
    readonly database: TestDatabase,
    readonly admin: pg.Client,
    readonly pool: pg.Pool,
  ) {}

  static async open(): Promise<HoldWorld> {
    const database = await createTestDatabase();
    const admin = await connectAdmin(database);
    for (const table of ['things', 'loose_things']) {
      await admin.query(`
        CREATE TABLE ${table} (organization_id text NOT NULL, id text NOT NULL, rooftop text, subject text, at timestamptz NOT NULL DEFAULT now(),
          flagged boolean NOT NULL DEFAULT false, PRIMARY KEY (organization_id, id));
        ALTER TABLE ${table} OWNER TO forecourt_owner;
        SELECT isolate_tenant_table('${table}');
        GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO forecourt_app`);
    }
    await admin.query(`SELECT govern_table('things', 'feed_file', 'r.id', 'CASE WHEN r.rooftop IS NULL THEN NULL ELSE ARRAY[r.rooftop] END',
      'CASE WHEN r.subject IS NULL THEN NULL ELSE ARRAY[r.subject] END', '{"created":"r.at"}')`);
    // Holds are taken away between the cases of a test; that nobody else can is shown by test/integration/legal-holds.spec.ts.
    await admin.query(`ALTER TABLE legal_holds DISABLE TRIGGER only_counting_and_release;
      ALTER TABLE legal_hold_pages DISABLE TRIGGER legal_hold_pages_are_final`);
    const pool = openPool({ url: database.appUrl, size: 8, waitMs: 5000, name: 'holds', onError: () => undefined });
    return new HoldWorld(database, admin, pool);
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.admin.end();
    await this.database.drop();
  }

  /** Rows of both tables, and no hold but those that are named: they cover everything. */
  async reset(ids: readonly string[], holds: readonly string[] = []): Promise<void> {
    const all = (names: readonly string[]): string => `unnest('{${names.join(',')}}'::text[])`;
    await this.admin
      .query(`DELETE FROM legal_hold_pages; DELETE FROM legal_holds; DELETE FROM things; DELETE FROM loose_things;
      INSERT INTO things (organization_id, id, rooftop) SELECT '${ORGANIZATION}', id, 'roof.' || left(id, 1) FROM ${all(ids)} AS id;
      INSERT INTO loose_things (organization_id, id, flagged) SELECT '${ORGANIZATION}', id, ${holds.length > 0} FROM ${all(ids)} AS id;
      INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, covered, root, counted_at)
        SELECT '${ORGANIZATION}', id, 'm', 'r', 'p', 0, sha256(''), now() FROM ${all(holds)} AS id`);
  }

  parts({ lockMs, countMs }: WorldOptions = {}, pool: pg.Pool = this.pool): HoldParts {
    const unitOfWork = this.units.get(pool) ?? new PrismaUnitOfWork(pool, 5000);
    this.units.set(pool, unitOfWork);
    return {
      unitOfWork,
      holds: new PostgresHolds(lockMs, countMs),
      audit: new PrismaTransactionalAudit(new NoncePool()),
      clock: new SystemClock(),
    };
  }

  placing(options: WorldOptions = {}, pool?: pg.Pool): PlaceHold {
    const queue = {
      add: (_queue: string, key: string): Promise<void> => Promise.resolve(void this.queued.push(key)),
    };
    return new PlaceHold({ ...this.parts(options, pool), journal: this.journal, queue }, options.most);
  }

  releasing(options: WorldOptions = {}, pool?: pg.Pool): ReleaseHold {
    const parts = { ...this.parts(options, pool), approvals: given, journal: this.journal };
    return new ReleaseHold(parts, options.coolingMs ?? 72 * 3_600_000);
  }

  async ids(table = 'things'): Promise<string[]> {
    const { rows } = await this.admin.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id`);
    return rows.map(({ id }) => id);
  }
}

/** A connection as the superuser, which gives up deadlocks quickly. */
export async function connectAdmin(database: TestDatabase): Promise<pg.Client> {
  const options = '-c search_path=forecourt -c deadlock_timeout=50ms';
  const client = new pg.Client({ connectionString: database.adminUrl, options });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** A connection as the application. */
export async function connectApp(database: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.appUrl, options: APP_OPTIONS });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export const APP_OPTIONS = '-c role=forecourt_app -c search_path=forecourt';

export function holdOrigin(): HoldOrigin {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'admin', actorKind: 'person', actor: 'staff.lawyer', client: null };
}

/** Everything that is not named is any. */
export const holdOn = (scope: Partial<RequestedHold> = {}): RequestedHold => ({
  ...{ matter: 'Smith v. Group', reason: 'claim of 30 November', rooftopIds: null, categories: ['feed_file'] },
  ...{ subjects: null, recordIds: null, from: null, until: null, ...scope },
});
