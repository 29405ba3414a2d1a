import { createHash } from 'node:crypto';
import type { PrunedSlice } from '../../src/modules/audit/app/audit-pruning-store.js';
import { PrismaUnitOfWork, prismaOf } from '../../src/platform/database/prisma-unit-of-work.js';
import { SystemClock } from '../../src/kernel/time.js';
import { PruneAuditLog, type PruningOutcome } from '../../src/modules/audit/app/prune-audit-log.js';
import { NoncePool } from '../../src/modules/audit/infra/nonce-pool.js';
import { PostgresAuditPruning } from '../../src/modules/audit/infra/postgres-audit-pruning.js';
import { PrismaTransactionalAudit } from '../../src/modules/audit/infra/prisma-transactional-audit.js';
import { addAuditMonth, ageAuditLog } from './aged-audit-log.js';
import { AuditLogWorld } from './audit-log-world.js';

const POLICY_HASH = 'b'.repeat(64);

/** Cutoffs of the audit trail: everything recorded until then is over. */
export const cutoffsUntil = (until: number, rooftops: Readonly<Record<string, number>> = {}): object => ({
  category: 'audit_event',
  clock: 'created',
  action: 'delete',
  standard: { floorBefore: null, ceilingBefore: until },
  unknown: { floorBefore: null, ceilingBefore: until },
  rooftops: Object.entries(rooftops).map(([rooftopId, at]) => ({ rooftopId, floorBefore: at, ceilingBefore: until })),
  ruleIds: ['audit'],
});

export interface Taken {
  readonly taken: number;
  readonly held: number;
  /** SHA-256 over the keyed hashes, in order. */
  readonly hashes: string;
}

class Sum {
  private taken = 0;
  private held = 0;
  private readonly hashes = createHash('sha256');

  add({ hashes, heldAt, usedAt }: PrunedSlice): void {
    this.held += heldAt.length;
    this.taken += hashes.length / 32 - heldAt.length - usedAt.length;
    this.hashes.update(hashes);
  }

  end(): Taken {
    return { taken: this.taken, held: this.held, hashes: this.hashes.digest('hex') };
  }
}

/** A log that approved retention runs prune, with everything else past their use cases. */
export class PruningWorld {
  readonly unitOfWork: PrismaUnitOfWork;
  readonly pruning: PruneAuditLog;

  private constructor(readonly log: AuditLogWorld) {
    this.unitOfWork = new PrismaUnitOfWork(log.pool, 5000);
    const audit = new PrismaTransactionalAudit(new NoncePool());
    this.pruning = new PruneAuditLog(new PostgresAuditPruning(), log.log, this.unitOfWork, audit, new SystemClock());
  }

  static async open(): Promise<PruningWorld> {
    return new PruningWorld(await AuditLogWorld.open());
  }

  close(): Promise<void> {
    return this.log.close();
  }

  /** An organization with a retention policy in force. */
  async addOrganization(organizationId: string): Promise<void> {
    const { admin } = this.log;
    await admin.query(`INSERT INTO organizations (organization_id, name) VALUES ($1, $1) ON CONFLICT DO NOTHING`, [
      organizationId,
    ]);
    await admin.query(
      `INSERT INTO retention_policy_versions (organization_id, version, policy_id, name, document, content_hash, draft_id, author, reason, approval_id, approvers, activated_at)
       VALUES ($1, 3, 'audit.seven-years', 'Seven years', '{}', $2, 'draft.1', 'person.a', 'test', 'approval.1', '{person.b,person.c}', now())`,
      [organizationId, POLICY_HASH],
    );
  }

  /** A run that is being carried out. */
  async addRun(organizationId: string, runId: string, cutoffs: object): Promise<void> {
    await this.log.admin.query(
      `INSERT INTO retention_runs (organization_id, run_id, state, requester_kind, requested_by, reason, hash_key, as_of, policy_id, policy_version, policy_hash,
         cutoffs, preview, preview_hash, preview_expires_at, approval_id, approvers, approved_at, lease)
       VALUES ($1, $2, 'running', 'person', 'person.a', 'test', $3, now(), 'audit.seven-years', 3, $4, $5, '{"over": 100000000}', $4, now() + interval '1 day', 'approval.2', '{person.b,person.c}', now(), 1)`,
      [organizationId, runId, Buffer.alloc(32, 5), POLICY_HASH, JSON.stringify([cutoffs])],
    );
  }

  step(organizationId: string, runId: string, most = 1000): Promise<PruningOutcome> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.pruning.step(tx, { runId, lease: 1, most }));
  }

  /** All steps of a run. @returns what was taken and held, in records, and the keyed hashes of all of it */
  async carryOut(organizationId: string, runId: string, most = 1000): Promise<Taken> {
    const sum = new Sum();
    for (let steps = 0; steps < 10_000; steps++) {
      const outcome = await this.step(organizationId, runId, most);
      if (outcome.kind === 'waiting') throw new Error('the run waits');
      sum.add(outcome.slice);
      if (outcome.finished) return sum.end();
    }
    throw new Error('the run does not end');
  }

  async previewed(organizationId: string, runId: string, cutoffs: object): Promise<Taken> {
    const sum = new Sum();
    await this.unitOfWork.readTenant(organizationId, async (tx) => {
      await prismaOf(tx).$executeRaw`SET TRANSACTION READ ONLY`;
      await this.pruning.preview(tx, { runId, cutoffs }, (slice) => {
        sum.add(slice);
      });
    });
    return sum.end();
  }

  /** The database's clock, in milliseconds. */
  async now(): Promise<number> {
    const { rows } = await this.log.admin.query<{ now: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    );
    return Math.ceil(rows[0]!.now);
  }

  /** Moves the first rows of a log into a month: a trail as old as a test needs it. @param month `2020_01` */
  age(organizationId: string, rows: number, month: string): Promise<void> {
    return ageAuditLog(this.log.admin, organizationId, rows, month);
  }

  addMonth(month: string): Promise<void> {
    return addAuditMonth(this.log.admin, month);
  }
}
