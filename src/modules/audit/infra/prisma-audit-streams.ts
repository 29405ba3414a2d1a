import type pg from 'pg';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { AuditStream as Stored, AuditStreamReplay } from '../../../platform/database/generated/client.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import { withTenantSql } from '../../../platform/database/tenant-sql.js';
import type { AuditStream, StreamFormat, StreamReplay } from '../app/streams/audit-stream.js';
import type { AuditStreamStore, DeliveryEnd, HeldStream, StreamLease } from '../app/streams/audit-stream-store.js';

/** Longer than a delivery may take, so that two processes never deliver the same stream. */
const LEASE_SECONDS = 30;

const STORED = `organization_id AS "organizationId", stream_id AS "streamId", version, name, url, format, secret, state, next_seq AS "nextSeq", failures,
  failing_since AS "failingSince", retry_at AS "retryAt", last_problem AS "lastProblem", last_delivered_at AS "lastDeliveredAt", lease,
  lease_until AS "leaseUntil", created_at AS "createdAt"`;
const HOLD = `UPDATE audit_streams SET lease = $2, lease_until = clock_timestamp() + make_interval(secs => $3)
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
    retry_at = clock_timestamp() + make_interval(secs => $4), state = CASE WHEN $5 AND state = 'active' THEN 'stopped' ELSE state END
  WHERE stream_id = $1 AND lease = $2`;
const RELEASE = 'UPDATE audit_streams SET lease = NULL, lease_until = NULL WHERE stream_id = $1 AND lease = $2';
const REPLAYS_SHOWN = 20;

/** Streams in PostgreSQL: staff's side through Prisma, the deliveries' side in plain SQL, by the database's clock. */
export class PrismaAuditStreams implements AuditStreamStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly leaseSeconds: number = LEASE_SECONDS,
  ) {}

  async insert(tx: TenantTransaction, stream: AuditStream, sealedSecret: Buffer): Promise<void> {
    const { streamId, name, url, format, createdAt } = stream;
    const secret = Uint8Array.from(sealedSecret);
    const place = { organizationId: tx.organizationId, streamId, nextSeq: BigInt(stream.nextSeq) };
    await prismaOf(tx).auditStream.create({
      data: { ...place, name, url, format, secret, createdAt: new Date(createdAt) },
    });
  }

  async find(tx: TenantTransaction, streamId: string): Promise<AuditStream | undefined> {
    const where = { organizationId_streamId: { organizationId: tx.organizationId, streamId } };
    const found = await prismaOf(tx).auditStream.findUnique({ where });
    return found === null ? undefined : streamOf(found);
  }

  async list(
    tx: TenantTransaction,
    { after, limit }: { readonly after?: string; readonly limit: number },
  ): Promise<readonly AuditStream[]> {
    const where = after === undefined ? {} : { streamId: { lt: after } };
    const found = await prismaOf(tx).auditStream.findMany({ where, orderBy: { streamId: 'desc' }, take: limit });
    return found.map(streamOf);
  }

  async setState(
    tx: TenantTransaction,
    streamId: string,
    from: readonly AuditStream['state'][],
    to: AuditStream['state'],
  ): Promise<boolean> {
    const { count } = await prismaOf(tx).auditStream.updateMany({
      where: { organizationId: tx.organizationId, streamId, state: { in: [...from] } },
      data: { state: to, version: { increment: 1 }, failures: 0, failingSince: null, retryAt: null },
    });
    return count === 1;
  }

  async logSize(tx: TenantTransaction): Promise<number> {
    const rows = await prismaOf(tx).$queryRaw<{ size: number }[]>`SELECT size::float8 AS size FROM audit_logs`;
    return rows[0]?.size ?? 0;
  }

  async addReplay(tx: TenantTransaction, { replayId, streamId, from, to, nextSeq }: StreamReplay): Promise<void> {
    const place = { organizationId: tx.organizationId, replayId, streamId };
    await prismaOf(tx).auditStreamReplay.create({
      data: { ...place, fromSeq: BigInt(from), toSeq: BigInt(to), nextSeq: BigInt(nextSeq) },
    });
  }

  async replays(tx: TenantTransaction, streamId: string): Promise<readonly StreamReplay[]> {
    const newest = { orderBy: { replayId: 'desc' }, take: REPLAYS_SHOWN } as const;
    return (await prismaOf(tx).auditStreamReplay.findMany({ where: { streamId }, ...newest })).map(replayOf);
  }

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
      const stream = { lease, stream: streamOf(stored), sealedSecret: Buffer.from(stored.secret) };
      return replay === undefined ? stream : { ...stream, replay: replayOf(replay) };
    });
  }

  async end({ organizationId, streamId, token }: StreamLease, end: DeliveryEnd): Promise<boolean> {
    const { rowCount } = await withTenantSql(this.pool, organizationId, 'read write', (client) => {
      if (!end.delivered) return client.query(FAILED, [streamId, token, end.problem, end.retryInMs / 1000, end.stop]);
      const { from, to, replayId } = end;
      return replayId === undefined
        ? client.query(TAKEN, [streamId, token, from, to])
        : client.query(REPLAY_TAKEN, [streamId, token, from, to, replayId]);
    });
    return rowCount === 1;
  }

  async release({ organizationId, streamId, token }: StreamLease): Promise<void> {
    await withTenantSql(this.pool, organizationId, 'read write', (client) => client.query(RELEASE, [streamId, token]));
  }
}

/** A row as Prisma or plain SQL gives it. */
function streamOf(stored: Stored): AuditStream {
  const { failingSince, retryAt, lastProblem, lastDeliveredAt } = stored;
  return {
    streamId: stored.streamId,
    version: stored.version,
    name: stored.name,
    url: stored.url,
    format: stored.format as StreamFormat,
    state: stored.state as AuditStream['state'],
    nextSeq: Number(stored.nextSeq),
    failures: stored.failures,
    createdAt: stored.createdAt.getTime(),
    ...(failingSince === null ? {} : { failingSince: failingSince.getTime() }),
    ...(retryAt === null ? {} : { retryAt: retryAt.getTime() }),
    ...(lastProblem === null ? {} : { lastProblem }),
    ...(lastDeliveredAt === null ? {} : { lastDeliveredAt: lastDeliveredAt.getTime() }),
  };
}

const replayOf = ({ replayId, streamId, fromSeq, toSeq, nextSeq }: AuditStreamReplay): StreamReplay => ({
  replayId,
  streamId,
  from: Number(fromSeq),
  to: Number(toSeq),
  nextSeq: Number(nextSeq),
});
