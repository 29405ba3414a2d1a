import { retryAt } from '../../../../kernel/delivery/retry-at.js';
import { newRequestId, traceIdOfRequest } from '../../../../kernel/ids.js';
import type { AuditRecorder } from '../../../../kernel/ports/audit-recorder.js';
import type { Clock } from '../../../../kernel/time.js';
import { addCheckpointBody } from '../../domain/log/add-checkpoint.js';
import { cosignedAt } from '../../domain/log/cosignature.js';
import { consistencyProof } from '../../domain/log/merkle-proof.js';
import { parseVerifierKey } from '../../domain/log/signed-note.js';
import { subtreeRootsFrom } from '../../domain/log/tiles.js';
import type { AuditLogStore } from '../audit-log-store.js';
import type { ClaimedTarget, DueTarget, TargetProgress, UnwitnessedCheckpoint } from './target-progress.js';
import type { WitnessClient } from './witness-client.js';

export interface WitnessCheckpointsParts {
  readonly progress: TargetProgress;
  readonly store: AuditLogStore;
  readonly client: WitnessClient;
  readonly recorder: AuditRecorder;
  readonly clock: Clock;
  readonly log: { error(message: string): void };
}

/** Longer than an attempt can take: a process that dies leaves its targets to the others after this. */
const LEASE_MS = 30_000;
/** A witness is asked at most this often. */
const PAUSE_MS = 1000;
const AT_ONCE = 4;
/** The witness may be ahead of what is remembered of it: then once more, from where it is. */
const TRIES = 2;
/** What a witness says when the log no longer contains what it signed: the alarm that witnesses are for. */
const INCONSISTENT: readonly string[] = ['history_inconsistent', 'witness_ahead'];

/**
 * Shows the newest checkpoint of each log to the organization's witnesses and keeps what they sign. Only the newest one is ever
 * sent, so that nothing piles up behind a witness that is away.
 */
export class WitnessCheckpoints {
  constructor(private readonly parts: WitnessCheckpointsParts) {}

  async run(): Promise<void> {
    const due = [...(await this.parts.progress.due(['witness'], this.parts.clock.now()))];
    const next = async (): Promise<void> => {
      for (let target = due.shift(); target !== undefined; target = due.shift()) await this.serve(target);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  }

  private async serve(due: DueTarget): Promise<void> {
    const { progress, clock } = this.parts;
    const checkpoint = await progress.unwitnessed(due);
    if (checkpoint === undefined) return;
    const target = await progress.claim(due, clock.now(), LEASE_MS);
    if (target === undefined) return;
    const problem = await this.submit(target, checkpoint);
    if (problem === undefined) return;
    if (INCONSISTENT.includes(problem) && target.problem !== problem) await this.alarm(target, problem);
    const now = clock.now();
    const nextAt = INCONSISTENT.includes(problem) ? retryAt(now, Infinity) : retryAt(now, target.failures);
    await progress.failed(target, { problem, nextAt });
  }

  /** @returns why it was not cosigned. */
  private async submit(target: ClaimedTarget, checkpoint: UnwitnessedCheckpoint): Promise<string | undefined> {
    let oldSize = target.witnessedSize;
    for (let attempt = 1; ; attempt++) {
      if (oldSize > checkpoint.size) return 'witness_ahead';
      const body = await this.requestOf(target.organizationId, oldSize, checkpoint);
      const reply = await this.parts.client.addCheckpoint(target.address, body);
      if ('unreachable' in reply) return reply.unreachable;
      if (reply.status === 200) return this.keep(target, checkpoint, reply.body);
      if (reply.status !== 409) return problemOf(reply.status);
      const size = /^\d{1,15}$/.exec(reply.body.trim())?.[0];
      if (size === undefined) return 'answer_unreadable';
      // It has the size that was named and refuses all the same: another root at that size.
      if (Number(size) === oldSize) return 'history_inconsistent';
      if (attempt === TRIES) return 'witness_busy';
      oldSize = Number(size);
    }
  }

  private async requestOf(organizationId: string, oldSize: number, checkpoint: UnwitnessedCheckpoint): Promise<string> {
    const proof =
      oldSize === 0
        ? []
        : await this.parts.store.withLog(organizationId, (log) =>
            consistencyProof(
              oldSize,
              checkpoint.size,
              subtreeRootsFrom((level, start, count) => log.hashes(level, start, count)),
            ),
          );
    return addCheckpointBody({ oldSize, proof, note: checkpoint.note });
  }

  private async keep(target: ClaimedTarget, checkpoint: UnwitnessedCheckpoint, lines: string) {
    const note = checkpoint.note + lines;
    const key = parseVerifierKey(target.witnessKey ?? '');
    const at = key === undefined ? undefined : cosignedAt(note, key);
    if (at === undefined) return 'cosignature_invalid';
    const now = this.parts.clock.now();
    await this.parts.progress.cosigned(target, { ...checkpoint, note, cosignedAt: at, now, nextAt: now + PAUSE_MS });
    return undefined;
  }

  private async alarm({ organizationId, targetId }: ClaimedTarget, problem: string): Promise<void> {
    this.parts.log.error(
      `ALARM the witness ${targetId} of ${organizationId} refuses the audit log: it no longer contains what the witness signed (${problem})`,
    );
    const eventId = newRequestId();
    await this.parts.recorder.record({
      eventId,
      traceId: traceIdOfRequest(eventId),
      occurredAt: this.parts.clock.now(),
      organizationId,
      surface: 'worker',
      operation: 'audit.witness',
      profile: null,
      actorKind: 'system',
      actor: 'audit-witness',
      client: null,
      rooftopIds: [],
      resourceIds: [targetId],
      decision: 'allow',
      reason: problem,
      policyVersion: null,
      outcome: 'failed',
      failureCode: null,
      purpose: null,
    });
  }
}

function problemOf(status: number): string {
  if (status === 422) return 'history_inconsistent';
  if (status === 403) return 'log_key_unknown';
  if (status === 404) return 'log_unknown';
  return 'refused';
}
