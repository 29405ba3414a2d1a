import { rfc3339 } from '../../../kernel/time.js';
import type { AuditStream, StreamReplay } from '../app/streams/audit-stream.js';
import type { StreamHealth } from '../app/streams/manage-audit-streams.js';

const instant = (at: number | undefined): string | null => (at === undefined ? null : rfc3339(at));

/** A stream as the admin API shows it; its secret never. */
export function streamView(stream: AuditStream): object {
  return {
    stream_id: stream.streamId,
    name: stream.name,
    url: stream.url,
    format: stream.format,
    state: stream.state,
    created_at: rfc3339(stream.createdAt),
    next_seq: stream.nextSeq,
    last_delivered_at: instant(stream.lastDeliveredAt),
    failures: stream.failures,
    failing_since: instant(stream.failingSince),
    retry_at: instant(stream.retryAt),
    last_problem: stream.lastProblem ?? null,
    previous_secret_until: instant(stream.previousSecretUntil),
  };
}

export const replayView = ({ replayId, from, to, nextSeq }: StreamReplay): object => ({
  replay_id: replayId,
  from_seq: from,
  to_seq: to,
  next_seq: nextSeq,
  done: nextSeq === to,
});

export const healthView = ({ stream, behind, replays }: StreamHealth): object => ({
  ...streamView(stream),
  behind,
  replays: replays.map(replayView),
});
