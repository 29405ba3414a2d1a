import type pg from 'pg';
import { withTenantSql } from '../../../../platform/database/tenant-sql.js';
import type {
  ClaimedTarget,
  DueTarget,
  Statement,
  TargetProgress,
  UnwitnessedCheckpoint,
} from '../../app/outside/target-progress.js';
import type { AuditTargetKind } from '../../domain/audit-target.js';

const DUE_AT_ONCE = 500;
const at = (parameter: string): string => `to_timestamp(${parameter}::float8 / 1000)`;
const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;

const DUE = `SELECT organization_id AS "organizationId", target_id AS "targetId" FROM audit_targets_due($1, ${at('$2')}, ${DUE_AT_ONCE})`;
const CLAIM = `UPDATE audit_targets SET next_attempt_at = ${at('$3')} WHERE target_id = $1 AND revoked_at IS NULL AND next_attempt_at <= ${at('$2')}
  RETURNING organization_id AS "organizationId", target_id AS "targetId", kind, address, witness_key AS "witnessKey", time_zone AS "timeZone",
    ${ms('created_at')} AS "createdAt", NULL AS "revokedAt", version, secret_number AS "secretNumber",
    ${ms('previous_secret_until')} AS "previousSecretUntil", failures, problem, witnessed_size::float8 AS "witnessedSize"`;
// The index by time gives the newest one; a log never gets smaller, so it is the largest as well.
const UNWITNESSED = `SELECT c.size::float8 AS size, c.note, c.signed_at::text AS "signedAt"
  FROM (SELECT * FROM audit_checkpoints ORDER BY organization_id, signed_at DESC LIMIT 1) c, audit_targets t
  WHERE t.target_id = $1 AND (t.witnessed_at IS NULL OR t.witnessed_at < c.signed_at)`;
const COSIGNED = `INSERT INTO audit_cosignatures (organization_id, target_id, size, cosigned_at, note)
  VALUES (current_tenant(), $1, $2, to_timestamp($3), $4) ON CONFLICT DO NOTHING`;
const WITNESSED = `UPDATE audit_targets SET witnessed_size = $2, witnessed_at = $3::timestamptz, delivered_at = ${at('$4')},
  next_attempt_at = ${at('$5')}, failures = 0, problem = NULL WHERE target_id = $1`;
// What an attempt says of a target that was changed meanwhile is not about the target as it is: it is due again.
const FAILED = `UPDATE audit_targets SET failures = failures + 1, problem = $2, next_attempt_at = ${at('$3')} WHERE target_id = $1 AND version = $4`;
const LAST = `SELECT day::text AS day, delivered_at IS NOT NULL AS delivered FROM audit_statements WHERE target_id = $1 ORDER BY day DESC LIMIT 1`;
const BEGIN = `INSERT INTO audit_statements (organization_id, target_id, day, message_id, note, created_at)
  SELECT current_tenant(), $1, $2::date, $3,
    (SELECT note FROM audit_checkpoints WHERE signed_at < ${at('$4')} ORDER BY organization_id, signed_at DESC LIMIT 1), ${at('$5')}
  ON CONFLICT DO NOTHING`;
const STATEMENT = `SELECT day::text AS day, message_id AS "messageId", note FROM audit_statements WHERE target_id = $1 AND day = $2::date`;
const REST = `UPDATE audit_targets SET next_attempt_at = ${at('$2')}, failures = 0, problem = NULL WHERE target_id = $1 AND version = $3`;

export class PostgresTargetProgress implements TargetProgress {
  constructor(private readonly pool: pg.Pool) {}

  async due(kinds: readonly AuditTargetKind[], now: number): Promise<readonly DueTarget[]> {
    const { rows } = await this.pool.query<DueTarget>(DUE, [kinds, now]);
    return rows;
  }

  async claim(target: DueTarget, now: number, leaseMs: number): Promise<ClaimedTarget | undefined> {
    const [claimed] = await this.run<ClaimedTarget>(target, CLAIM, [target.targetId, now, now + leaseMs]);
    return claimed;
  }

  async unwitnessed(target: DueTarget): Promise<UnwitnessedCheckpoint | undefined> {
    const [found] = await this.run<UnwitnessedCheckpoint>(target, UNWITNESSED, [target.targetId]);
    return found;
  }

  cosigned(
    { organizationId, targetId }: DueTarget,
    { size, note, signedAt, cosignedAt, nextAt, now }: Parameters<TargetProgress['cosigned']>[1],
  ): Promise<void> {
    return withTenantSql(this.pool, organizationId, 'read write', async (client) => {
      await client.query(COSIGNED, [targetId, size, cosignedAt, note]);
      await client.query(WITNESSED, [targetId, size, signedAt, now, nextAt]);
    });
  }

  async failed(target: ClaimedTarget, { problem, nextAt }: { problem: string; nextAt: number }): Promise<void> {
    await this.run(target, FAILED, [target.targetId, problem, nextAt, target.version]);
  }

  async lastStatement(target: DueTarget): Promise<{ day: string; delivered: boolean } | undefined> {
    const [last] = await this.run<{ day: string; delivered: boolean }>(target, LAST, [target.targetId]);
    return last;
  }

  statementOf({ organizationId, targetId }: DueTarget, day: string, endsAt: number, now: number): Promise<Statement> {
    return withTenantSql(this.pool, organizationId, 'read write', async (client) => {
      await client.query(BEGIN, [targetId, day, `${targetId}.${day}`, endsAt, now]);
      const { rows } = await client.query<Statement>(STATEMENT, [targetId, day]);
      if (rows[0] === undefined) throw new Error('a statement that was written is not there');
      return rows[0];
    });
  }

  async rest(target: ClaimedTarget, nextAt: number): Promise<void> {
    await this.run(target, REST, [target.targetId, nextAt, target.version]);
  }

  private run<T extends pg.QueryResultRow>(target: DueTarget, text: string, values: unknown[]): Promise<T[]> {
    return withTenantSql(this.pool, target.organizationId, 'read write', async (client) => {
      const { rows } = await client.query<T>(text, values);
      return rows;
    });
  }
}
