import type { AuditStream as Stored, AuditStreamReplay } from '../../../platform/database/generated/client.js';
import type { AuditStream, StreamFormat, StreamReplay } from '../app/streams/audit-stream.js';

/** A row as Prisma or plain SQL gives it. */
export function streamOf(stored: Stored): AuditStream {
  const { failingSince, retryAt, lastProblem, lastDeliveredAt, previousSecretUntil } = stored;
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
    ...(previousSecretUntil === null ? {} : { previousSecretUntil: previousSecretUntil.getTime() }),
  };
}

/** As {@link streamOf}, of a replay. */
export const replayOf = ({ replayId, streamId, fromSeq, toSeq, nextSeq }: AuditStreamReplay): StreamReplay => ({
  replayId,
  streamId,
  from: Number(fromSeq),
  to: Number(toSeq),
  nextSeq: Number(nextSeq),
});
