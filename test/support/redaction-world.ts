import { ExportAudit } from '../../src/modules/audit/app/exports/export-audit.js';
import { SupersededExports } from '../../src/modules/audit/app/exports/superseded-exports.js';
import { PruneAuditLog } from '../../src/modules/audit/app/prune-audit-log.js';
import { PostgresAuditLog } from '../../src/modules/audit/infra/postgres-audit-log.js';
import { PostgresAuditPruning } from '../../src/modules/audit/infra/postgres-audit-pruning.js';
import { PrismaAuditExports } from '../../src/modules/audit/infra/prisma-audit-exports.js';
import { AuditRedactionDisposer } from '../../src/modules/deletion/infra/audit-redaction-disposer.js';
import { AuditTrailDisposer } from '../../src/modules/deletion/infra/audit-trail-disposer.js';
import { RecordRedaction } from '../../src/modules/redaction/app/record-redaction.js';
import type { PeriodDocument, RuleDocument } from '../../src/modules/retention/domain/policy-document.js';
import { ageAuditLog } from './aged-audit-log.js';
import { AuditLogWorld } from './audit-log-world.js';
import { ORGANIZATION, RetentionWorld } from './retention-world.js';

const RULE = { jurisdiction: '*', floor: null, ground: 'test', citation: 'test' };
const AUDIT = { ...RULE, category: 'audit_event', clock: 'created' } as const;
const years = (count: number): PeriodDocument => ({ count, unit: 'years' });

/** Who acted is redacted after a year. */
export const REDACTING: RuleDocument = { ...AUDIT, rule_id: 'audit.redact', ceiling: years(1), action: 'redact' };
/** And the record goes after five. */
export const DELETING: RuleDocument = { ...AUDIT, rule_id: 'audit.delete', ceiling: years(5), action: 'delete' };

/** Lets the runs of a world prune and redact the trail. */
export function takesOfTheTrail({ audit, unitOfWork, pool, disposers, clock }: RetentionWorld): void {
  const exports = new SupersededExports(unitOfWork, new PrismaAuditExports(pool), new ExportAudit(audit, clock));
  const pruning = new PruneAuditLog(new PostgresAuditPruning(), new PostgresAuditLog(pool), unitOfWork, audit, clock);
  const redacting = new AuditRedactionDisposer(pruning, new RecordRedaction(audit, exports, clock));
  disposers.push(new AuditTrailDisposer(pruning), redacting);
}

/** Retention runs over an audit trail that is numbered, signed and as old as a test needs it. */
export class RedactionWorld {
  private constructor(
    readonly log: AuditLogWorld,
    readonly retention: RetentionWorld,
  ) {}

  static async open(): Promise<RedactionWorld> {
    const log = await AuditLogWorld.open();
    const retention = await RetentionWorld.open(log.database);
    takesOfTheTrail(retention);
    return new RedactionWorld(log, retention);
  }

  async close(): Promise<void> {
    await this.retention.close();
    await this.log.close();
  }

  /** Records of `agent.one`, numbered and signed, the first `old` of which are of January 2020. */
  async grow(records: number, old: number): Promise<void> {
    await this.log.grow(ORGANIZATION, records, 500);
    await this.age(old, '2020_01');
  }

  /** The first records become as old as a month. @param month `2020_01` */
  age(records: number, month: string): Promise<void> {
    return ageAuditLog(this.log.admin, ORGANIZATION, records, month);
  }

  /** Rows of the log. */
  async size(): Promise<number> {
    const { rows } = await this.log.admin.query<{ size: number }>(
      'SELECT size::integer AS size FROM audit_logs WHERE organization_id = $1',
      [ORGANIZATION],
    );
    return rows[0]!.size;
  }

  /** Ids of records that say who acted, by their place in the log. @param actor who; anybody unless told */
  async withValues(actor?: string): Promise<ReadonlyMap<number, string>> {
    const { rows } = await this.log.admin.query<{ seq: number; id: string }>(
      `SELECT k.seq::integer AS seq, k.event_id AS id FROM audit_entries k JOIN audit_events e USING (organization_id, recorded_at, event_id)
       WHERE organization_id = $1 AND nonce IS NOT NULL AND coalesce(actor, client) IS NOT NULL AND ($2::text IS NULL OR actor = $2) ORDER BY 1`,
      [ORGANIZATION, actor ?? null],
    );
    return new Map(rows.map(({ seq, id }) => [seq, id]));
  }

  /** Id of the record at a place of the log. */
  async idOf(seq: number): Promise<string> {
    const { rows } = await this.log.admin.query<{ id: string }>(
      'SELECT event_id AS id FROM audit_entries WHERE organization_id = $1 AND seq = $2',
      [ORGANIZATION, seq],
    );
    return rows[0]!.id;
  }

  /** What is written of redactions by a run: evidence of its batches, the ledger, and what the trail lists. */
  async evidence(runId: string): Promise<Readonly<Record<string, number>>> {
    const { rows } = await this.log.admin.query<Record<string, number>>(
      `SELECT (SELECT coalesce(sum(taken), 0)::integer FROM retention_batches WHERE run_id = $1 AND action = 'redact') AS evidence,
              (SELECT taken::integer FROM retention_runs WHERE run_id = $1) AS ledger,
              (SELECT count(*)::integer FROM audit_redacted_records) AS listed,
              (SELECT coalesce(sum(records), 0)::integer FROM audit_redactions WHERE ground = 'retention_policy') AS recorded,
              (SELECT count(*)::integer FROM audit_events WHERE operation = 'audit.redacted' AND $1 = ANY (resource_ids)) AS records_of_it`,
      [runId],
    );
    return rows[0]!;
  }
}
