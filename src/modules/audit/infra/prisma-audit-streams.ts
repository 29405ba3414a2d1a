import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { AuditStream, StreamReplay } from '../app/streams/audit-stream.js';
import type { AuditStreamStore, StreamChange } from '../app/streams/audit-stream-store.js';
import { replayOf, streamOf } from './stored-stream.js';

const REPLAYS_SHOWN = 20;

/** Streams in PostgreSQL, for those who manage them. */
export class PrismaAuditStreams implements AuditStreamStore {
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

  async change(tx: TenantTransaction, before: AuditStream, { name, url }: StreamChange): Promise<boolean> {
    const { count } = await prismaOf(tx).auditStream.updateMany({
      where: inForce(tx, before),
      data: { name, url, version: { increment: 1 }, ...(url === before.url ? {} : AFRESH) },
    });
    return count === 1;
  }

  async rotate(
    tx: TenantTransaction,
    before: AuditStream,
    sealedSecret: Buffer,
    until: number | null,
  ): Promise<boolean> {
    const where = inForce(tx, before);
    const stored = await prismaOf(tx).auditStream.findFirst({ where, select: { secret: true } });
    if (stored === null) return false;
    const kept = until === null ? null : new Date(until);
    const { count } = await prismaOf(tx).auditStream.updateMany({
      where,
      data: {
        secret: Uint8Array.from(sealedSecret),
        previousSecret: kept === null ? null : stored.secret,
        previousSecretUntil: kept,
        version: { increment: 1 },
      },
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
}

const inForce = ({ organizationId }: TenantTransaction, { streamId, version }: AuditStream) =>
  ({ organizationId, streamId, version, state: { not: 'revoked' } }) as const;

/** Another address has not failed yet, and nobody is delivering to it. */
const AFRESH = { lease: null, leaseUntil: null, failures: 0, failingSince: null, retryAt: null, lastProblem: null };
