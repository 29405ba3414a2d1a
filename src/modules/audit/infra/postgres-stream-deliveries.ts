import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AuditStream as Stored, AuditStreamReplay } from '../../../platform/database/generated/client.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { AuditStream } from '../app/streams/audit-stream.js';
import type { DeliveryEnd, HeldStream, StreamDeliveries, StreamLease } from '../app/streams/stream-deliveries.js';
import { replayOf, streamOf } from './stored-stream.js';

/** Longer than a delivery may take, so that two processes never deliver the same stream. */
const LEASE_SECONDS = 30;

const STORED = `organization_id AS "organizationId", stream_id AS "streamId", version, name, url, format, secret, state, next_seq AS "nextSeq", failures,
  failing_since AS "failingSince", retry_at AS "retryAt", last_problem AS "lastProblem", last_delivered_at AS "lastDeliveredAt", lease,
  lease_until AS "leaseUntil", created_at AS "createdAt", previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil"`;
// A secret whose time is over is forgotten on the way.
const HOLD = `UPDATE audit_streams SET lease = $2, lease_until = clock_timestamp() + make_interval(secs => $3),
    previous_secret = CASE WHEN previous_secret_until > clock_timestamp() THEN previous_secret END,
    previous_secret_until = CASE WHEN previous_secret_until > clock_timestamp() THEN previous_secret_until END
  WHERE stream_id = $1 AND state = 'active' AND (lease = $2 OR lease_until IS NULL OR lease_until <= clock_timestamp())
    AND (retry_at IS NULL OR retry_at <= clock_timestamp())
    AND EXISTS (SELECT FROM organizations o WHERE o.organization_id = current_tenant() AND o.state = 'active') RETURNING ${STORED}`;
const OPEN_REPLAY = `SELECT organization_id AS "organizationId", replay_id AS "replayId", stream_id AS "streamId", from_seq AS "fromSeq", to_seq AS "toSeq",
  next_seq AS "nextSeq", created_at AS "createdAt" FROM audit_stream_replays WHERE stream_id = $1 AND next_seq < to_seq ORDER BY replay_id LIMIT 1`;
const WELL = `failures = 0, failing_since = NULL, retry_at = NULL, last_problem = NULL, last_delivered_at = clock_timestamp()`;
const TAKEN = `UPDATE audit_streams SET next_seq = $4, ${WELL} WHERE stream_id = $1 AND lease = $2 AND next_seq = $3`;
const REPLAY_TAKEN = `WITH held AS (UPDATE audit_streams SET ${WELL} WHERE stream_id = $1 AND lease = $2 RETURNING 1)
  UPDATE audit_stream_replays SET next_seq = $4 WHERE replay_id = $5 AND stream_id = $1 AND next_seq = $3 AND EXISTS (SELECT FROM held)`;
const FAILED = `UPDATE audit_streams SET failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp()), last_problem = $3,
    retry_at = clock_timestamp() + make_interval(secs => $4) WHERE stream_id = $1 AND lease = $2`;
const RELEASE = 'UPDATE audit_streams SET lease = NULL, lease_until = NULL WHERE stream_id = $1 AND lease = $2';
/** Who delivers which stream, in plain SQL and by the database's clock. */
export class PostgresStreamDeliveries implements StreamDeliveries {
  constructor(
    private readonly pool: pg.Pool,
    private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  async due(limit: number): Promise<readonly { organizationId: string; streamId: string }[]> {
    const { rows } = await this.pool.query<{ organizationId: string; streamId: string }>(
      'SELECT organization_id AS "organizationId", stream_id AS "streamId" FROM due_audit_streams($1)',
      [limit],
    );
    return rows;
  }

  hold(lease: StreamLease): Promise<HeldStream | undefined> {
    return withTenantSql(this.pool, lease.organizationId, 'read write', async (client) => {
      const held = await client.query<Stored>(HOLD, [lease.streamId, lease.token, this.leaseSeconds]);
      const [stored] = held.rows;
      if (stored === undefined) return undefined;
      const [replay] = (await client.query<AuditStreamReplay>(OPEN_REPLAY, [lease.streamId])).rows;
      const sealedSecrets = [stored.secret, stored.previousSecret].filter((sealed) => sealed !== null).map(bytesOf);
      const stream = { lease, stream: streamOf(stored), sealedSecrets };
      return replay === undefined ? stream : { ...stream, replay: replayOf(replay) };
    });
  }

  async end({ organizationId, streamId, token }: StreamLease, end: DeliveryEnd): Promise<boolean> {
    const { rowCount } = await withTenantSql(this.pool, organizationId, 'read write', (client) => {
      if (!end.delivered) return client.query(FAILED, [streamId, token, end.problem, end.retryInMs / 1000]);
      const { from, to, replayId } = end;
      return replayId === undefined
        ? client.query(TAKEN, [streamId, token, from, to])
        : client.query(REPLAY_TAKEN, [streamId, token, from, to, replayId]);
    });
    return rowCount === 1;
  }

  async stop(
    tx: TenantTransaction,
    { streamId, token }: StreamLease,
    { version }: AuditStream,
    problem: string,
  ): Promise<boolean> {
    const stopped = await prismaOf(tx).$executeRaw`
      UPDATE audit_streams SET state = 'stopped', version = version + 1, failures = failures + 1, last_problem = ${problem},
        failing_since = coalesce(failing_since, clock_timestamp())
      WHERE stream_id = ${streamId} AND lease = ${token} AND state = 'active' AND version = ${version}`;
    return stopped === 1;
  }

  async release({ organizationId, streamId, token }: StreamLease): Promise<void> {
    await withTenantSql(this.pool, organizationId, 'read write', (client) => client.query(RELEASE, [streamId, token]));
  }
}

const bytesOf = (sealed: Uint8Array): Buffer => Buffer.from(sealed);
