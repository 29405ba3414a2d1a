import pg from 'pg';
import { newPersonId, newRequestId, newRetentionRunId, traceIdOfRequest } from '../../src/kernel/ids.js';
import type { Failure } from '../../src/kernel/failure/failure.js';
import { SystemClock, type Clock } from '../../src/kernel/time.js';
import { AssessApproval } from '../../src/modules/approvals/app/assess-approval.js';
import { DecideApproval } from '../../src/modules/approvals/app/decide-approval.js';
import { StoredApprovals } from '../../src/modules/approvals/app/stored-approvals.js';
import { PrismaApprovalStore } from '../../src/modules/approvals/infra/prisma-approval-store.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { BeginRun } from '../../src/modules/deletion/app/begin-run.js';
import { CancelRun } from '../../src/modules/deletion/app/cancel-run.js';
import { CarryOutRun, type RunOutcome } from '../../src/modules/deletion/app/carry-out-run.js';
import { ConcludeRun } from '../../src/modules/deletion/app/conclude-run.js';
import type { Disposer } from '../../src/modules/deletion/app/disposer.js';
import { DraftRun } from '../../src/modules/deletion/app/draft-run.js';
import { MeasureRun } from '../../src/modules/deletion/app/measure-run.js';
import { PreviewRun } from '../../src/modules/deletion/app/preview-run.js';
import type { RequestedRun, RetentionRun } from '../../src/modules/deletion/app/retention-run.js';
import { RunAudit } from '../../src/modules/deletion/app/run-audit.js';
import type { RunParts } from '../../src/modules/deletion/app/run-parts.js';
import { StartRun } from '../../src/modules/deletion/app/start-run.js';
import { TakeBatches, type BatchesPace } from '../../src/modules/deletion/app/take-batches.js';
import { WatchClocks } from '../../src/modules/deletion/app/watch-clocks.js';
import { WriteDeletionRecord } from '../../src/modules/deletion/app/write-deletion-record.js';
import { GovernedTableDisposer } from '../../src/modules/deletion/infra/governed-table-disposer.js';
import { PostgresDeletionRecords } from '../../src/modules/deletion/infra/postgres-deletion-records.js';
import { PostgresRunStore } from '../../src/modules/deletion/infra/postgres-run-store.js';
import { PrismaPreviewReads } from '../../src/modules/deletion/infra/prisma-preview-reads.js';
import type { RuleDocument } from '../../src/modules/retention/domain/policy-document.js';
import { ReadRulesInForce } from '../../src/modules/retention/app/read-rules-in-force.js';
import { SqlRetentionVersions } from '../../src/modules/retention/infra/sql-retention-versions.js';
import { SqlRooftopPlaces } from '../../src/modules/retention/infra/sql-rooftop-places.js';
import { StoredStaffRoster } from '../../src/modules/staff/app/staff-roster.js';
import { PrismaStaffStore } from '../../src/modules/staff/infra/prisma-staff-store.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';

export const ORGANIZATION = 'org.kept';
export const TENANT = `SELECT set_config('app.tenant', '${ORGANIZATION}', true)`;
const DAY_MS = 86_400_000;
const LEADS = { category: 'lead', clock: 'created' };

/** Leads are deleted thirty days after they came; nothing else has a rule. */
export const THIRTY_DAYS: RuleDocument = {
  rule_id: 'lead.thirty-days',
  category: 'lead',
  jurisdiction: '*',
  clock: 'created',
  floor: null,
  ceiling: { count: 30, unit: 'days' },
  action: 'delete',
  ground: 'No longer needed',
  citation: 'test',
};

/** Where the database of a world is. */
export interface WorldDatabase {
  readonly adminUrl: string;
  readonly appUrl: string;
}

/** Runs of retention on a real database: a governed table `leads`, three persons, and a policy. */
export class RetentionWorld {
  readonly clock: Clock = new SystemClock();
  readonly errors: string[] = [];

  private constructor(
    readonly admin: pg.Client,
    readonly pool: pg.Pool,
    readonly persons: { readonly a: string; readonly b: string; readonly c: string; readonly d: string },
  ) {}

  static async open(database: WorldDatabase): Promise<RetentionWorld> {
    const world = await RetentionWorld.join(database);
    await world.prepare();
    return world;
  }

  /** A second process on a database that a world has prepared. */
  static async join({ adminUrl, appUrl }: WorldDatabase): Promise<RetentionWorld> {
    const admin = new pg.Client({ connectionString: adminUrl, options: '-c search_path=forecourt -c timezone=UTC' });
    admin.on('error', () => undefined);
    await admin.connect();
    const pool = openPool({ url: appUrl, size: 8, waitMs: 5000, name: 'retention', onError: () => undefined });
    const [a, b, c, d] = [newPersonId(), newPersonId(), newPersonId(), newPersonId()];
    return new RetentionWorld(admin, pool, { a, b, c, d });
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.admin.end();
  }

  readonly unitOfWork = new PrismaUnitOfWork(this.pool, 5000);
  readonly audit = new PrismaTransactionalAudit(new NoncePool());
  readonly store = new PostgresRunStore(this.pool);
  readonly disposer = new GovernedTableDisposer();
  private readonly approvalStore = new PrismaApprovalStore();
  private readonly roster = new StoredStaffRoster(new PrismaStaffStore());
  private readonly assess = new AssessApproval(this.approvalStore, this.roster, this.clock);
  readonly approvals = new StoredApprovals(this.approvalStore, this.assess, this.clock);
  readonly deciding = new DecideApproval({
    unitOfWork: this.unitOfWork,
    store: this.approvalStore,
    roster: this.roster,
    assess: this.assess,
    audit: this.audit,
    clock: this.clock,
  });
  /** Who disposes of what; a test of the audit trail adds its own. */
  readonly disposers: Disposer[] = [this.disposer, new GovernedTableDisposer('anonymise')];
  readonly measuring = new MeasureRun(this.disposers, this.store);
  readonly records = new PostgresDeletionRecords();
  readonly parts: RunParts = {
    unitOfWork: this.unitOfWork,
    reads: new PrismaPreviewReads(this.unitOfWork),
    store: this.store,
    rules: new ReadRulesInForce(new SqlRetentionVersions(), new SqlRooftopPlaces()),
    measuring: this.measuring,
    concluding: new ConcludeRun(
      this.store,
      new WriteDeletionRecord(this.records, this.audit, this.clock, {
        version: '0.0.0-test',
        residual: { vacuum: 1, wal: 7, backups: 35 },
      }),
      this.measuring,
      new RunAudit(this.audit, this.clock),
    ),
    audit: new RunAudit(this.audit, this.clock),
    queue: { add: () => Promise.resolve() },
  };

  readonly drafting = new DraftRun(this.parts);
  readonly starting = new StartRun(this.parts, this.approvals);
  readonly cancelling = new CancelRun(this.parts);

  carrying(clock: Clock = this.clock, share = 0.5, pace: BatchesPace = {}): CarryOutRun {
    return new CarryOutRun(
      this.parts,
      {
        previewing: new PreviewRun(this.parts),
        beginning: new BeginRun(this.parts, share),
        batches: new TakeBatches(this.parts, pace),
        clocks: () => new WatchClocks(this.unitOfWork, this.store, clock),
      },
      { error: (message) => this.errors.push(message) },
    );
  }

  origin(person: string = this.persons.a) {
    const eventId = newRequestId();
    const traceId = traceIdOfRequest(eventId);
    return { eventId, traceId, surface: 'admin', actorKind: 'person', actor: person, client: null } as const;
  }

  /** A drafted run, previewed. */
  async previewed(requested: Partial<RequestedRun> = {}, person: string = this.persons.a): Promise<RetentionRun> {
    const asked = { reason: 'routine', categories: null, beyondBrake: null, ...requested };
    const { runId } = await this.drafting.run(ORGANIZATION, asked, this.origin(person));
    await this.work(runId);
    return this.run(runId);
  }

  /** Asks for the approval of a run. @returns its id */
  async asked(runId: string, person: string = this.persons.a): Promise<string> {
    const failure = await this.starting.run(ORGANIZATION, runId, this.origin(person)).then(
      () => undefined,
      (error: unknown) => error as Failure,
    );
    const approvalId = failure?.context.approval?.approvalId;
    if (approvalId === undefined) throw new Error('no approval was asked for', { cause: failure });
    return approvalId;
  }

  async approve(approvalId: string, person: string, contentHash: string): Promise<void> {
    const { rows } = await this.admin.query<{ role: 'admin' }>('SELECT role FROM staff_persons WHERE person_id = $1', [
      person,
    ]);
    const role = rows[0]?.role ?? 'admin';
    const signedIn = { authenticatedAt: Date.now(), strong: true };
    const caller = { kind: 'person', personId: person, organizationId: ORGANIZATION, role, network: 'test' } as const;
    const decision = { decision: 'approve', contentHash } as const;
    await this.deciding.run({ ...caller, ...signedIn }, approvalId, decision, this.origin(person));
  }

  /** A run that two people approved and that waits for a worker. */
  async approved(requested: Partial<RequestedRun> = {}): Promise<RetentionRun> {
    const run = await this.previewed(requested);
    const approvalId = await this.asked(run.runId);
    const { previewHash } = run.previewed!;
    for (const person of [this.persons.b, this.persons.c]) await this.approve(approvalId, person, previewHash);
    return this.starting.run(ORGANIZATION, run.runId, this.origin());
  }

  /** A run under way as the database sees it, without its people: for tests of batches alone. Its lease is 1. */
  async underWay(rules: readonly { readonly category: string; readonly clock: string }[] = [LEADS]): Promise<string> {
    const runId = newRetentionRunId();
    const cutoff = { floorBefore: null, ceilingBefore: Date.now() - 30 * DAY_MS };
    const limits = { action: 'delete', standard: cutoff, unknown: cutoff, rooftops: [], ruleIds: [] };
    const cutoffs = rules.map((rule) => ({ ...rule, ...limits }));
    await this.admin.query('BEGIN; ALTER TABLE retention_runs DISABLE TRIGGER USER');
    await this.admin.query(
      `INSERT INTO retention_runs (organization_id, run_id, requester_kind, requested_by, reason, hash_key, state, as_of, policy_id, policy_version, policy_hash,
         cutoffs, preview, sketch, preview_hash, previewed_at, preview_expires_at, approval_id, approvers, approved_at, lease, started_at)
       SELECT $1, $2, 'person', 'a', 'test', sha256('key'), 'running', now(), policy_id, version, content_hash, $3::jsonb, '{"over": 1000000000, "parts": []}', '',
         content_hash, now(), now() + interval '1 day', 'apr', '{b,c}', now(), 1, now()
       FROM retention_policy_versions WHERE organization_id = $1 ORDER BY version DESC LIMIT 1`,
      [ORGANIZATION, runId, JSON.stringify(cutoffs)],
    );
    await this.admin.query(`ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_steps;
      ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_progress;
      ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_while_standing; COMMIT`);
    return runId;
  }

  /** What a worker does with it. */
  work(runId: string, signal: AbortSignal = new AbortController().signal): Promise<RunOutcome> {
    return this.carrying().run(ORGANIZATION, runId, signal);
  }

  async run(runId: string): Promise<RetentionRun> {
    const found = await this.unitOfWork.withTenant(ORGANIZATION, (tx) => this.store.find(tx, runId));
    if (found === undefined) throw new Error(`no run ${runId}`);
    return found;
  }

  /** Its deletion record, as people read it. */
  async record(runId: string): Promise<Readonly<Record<string, never>> | undefined> {
    const { rows } = await this.admin.query<{ content: string }>(
      `SELECT content FROM deletion_records WHERE source_id = $1`,
      [runId],
    );
    return rows[0] === undefined ? undefined : (JSON.parse(rows[0].content) as Record<string, never>);
  }

  /** Ids that are there, in order. */
  async left(): Promise<readonly string[]> {
    const { rows } = await this.admin.query<{ id: string }>('SELECT id FROM leads ORDER BY id');
    return rows.map(({ id }) => id);
  }

  /** A lead that came so many days ago. */
  async lead(id: string, daysAgo: number, columns: { rooftop?: string | null; used?: boolean } = {}): Promise<void> {
    const { rooftop = 'roof.a', used = false } = columns;
    await this.admin.query(
      `INSERT INTO leads (organization_id, id, rooftop, used, at) VALUES ($1, $2, $3, $4, now() - $5 * interval '1 day')`,
      [ORGANIZATION, id, rooftop, used, daysAgo],
    );
  }

  /** Many leads at once, the oldest first: from `prefix`00000 on. */
  async leads(prefix: string, count: number, daysAgo: number): Promise<void> {
    await this.admin.query(
      `INSERT INTO leads (organization_id, id, rooftop, at) SELECT $1, $2 || lpad(i::text, 6, '0'), 'roof.' || i % 3, now() - $4 * interval '1 day' + i * interval '1 ms'
       FROM generate_series(0, $3::integer - 1) AS i`,
      [ORGANIZATION, prefix, count, daysAgo],
    );
  }

  async hold(holdId: string, columns: Readonly<Record<string, unknown>>): Promise<void> {
    const all = { covered: 0, root: Buffer.alloc(32), counted_at: new Date(), ...columns };
    const names = Object.keys(all);
    await this.admin.query('BEGIN');
    await this.admin.query(`SELECT lock_out_deletions('${ORGANIZATION}')`);
    await this.admin.query(
      `INSERT INTO legal_holds (organization_id, hold_id, matter, reason, placed_by, ${names.join(', ')})
       VALUES ('${ORGANIZATION}', '${holdId}', 'Smith v. Group', 'claim', 'person.a', ${names.map((_, i) => `$${i + 1}`).join(', ')})`,
      Object.values(all),
    );
    await this.admin.query('COMMIT');
  }

  /** Puts a version of the policy in force. */
  async policy(version: number, rules: readonly RuleDocument[] = [THIRTY_DAYS]): Promise<void> {
    await this.admin.query(
      `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
       VALUES ($1, $2::integer, 'records', 'Records', $3::jsonb, encode(sha256(convert_to($3::jsonb::text || $2::integer, 'UTF8')), 'hex'), 'draft', 'a', 'test', 'apr', '{a,b}', now())`,
      [ORGANIZATION, version, JSON.stringify({ rules, rooftops: [] })],
    );
  }

  /** Nothing but the organization, its persons and its policy. */
  async reset(): Promise<void> {
    await this.admin.query(`
      ALTER TABLE legal_holds DISABLE TRIGGER USER; DELETE FROM legal_holds; ALTER TABLE legal_holds ENABLE ALWAYS TRIGGER only_counting_and_release;
      ALTER TABLE leads DISABLE TRIGGER USER; DELETE FROM leads;
      ALTER TABLE leads ENABLE ALWAYS TRIGGER guard_holds; ALTER TABLE leads ENABLE ALWAYS TRIGGER refuse_truncation;
      ALTER TABLE retention_runs DISABLE TRIGGER USER; UPDATE retention_runs SET previewed_at = previewed_at - interval '60 days';
      ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_steps; ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_run_progress;
      ALTER TABLE retention_runs ENABLE ALWAYS TRIGGER only_while_standing`);
  }

  private async prepare(): Promise<void> {
    const { admin } = this;
    await admin.query(`
      CREATE TABLE leads (organization_id text NOT NULL, id text NOT NULL, rooftop text, used boolean NOT NULL DEFAULT false, at timestamptz NOT NULL,
        PRIMARY KEY (organization_id, id));
      CREATE INDEX leads_by_age ON leads (organization_id, at);
      ALTER TABLE leads OWNER TO forecourt_owner;
      SELECT isolate_tenant_table('leads');
      SELECT govern_table('leads', 'lead', 'r.id', 'CASE WHEN r.rooftop IS NOT NULL THEN ARRAY[r.rooftop] END', '''{}''::text[]', '{"created":"r.at"}',
        p_disposable => 'NOT r.used')`);
    await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ($1, 'Kept')`, [ORGANIZATION]);
    const { a, b, c, d } = this.persons;
    const roles = { [a]: 'compliance', [b]: 'admin', [c]: 'compliance', [d]: 'auditor' };
    for (const [person, role] of Object.entries(roles))
      await admin.query(
        `INSERT INTO staff_persons (organization_id, person_id, name, role, created_at, updated_at) VALUES ($1, $2, $2, $3, now(), now())`,
        [ORGANIZATION, person, role],
      );
    await this.policy(1);
  }
}
