import { changeHashes } from '../../../../kernel/change-hashes.js';
import { Failure } from '../../../../kernel/failure/failure.js';
import { newAuditStreamId, newReplayId } from '../../../../kernel/ids.js';
import type { UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../../kernel/time.js';
import { newSecret } from '../../domain/exports/stream-signature.js';
import type { ChangeOrigin } from '../transactional-audit.js';
import type { AuditStream, StreamFormat, StreamReplay } from './audit-stream.js';
import type { AuditStreamStore } from './audit-stream-store.js';
import { requiredStream } from './required-stream.js';
import { type StreamAudit, viewOf } from './stream-audit.js';
import type { StreamSecrets } from './stream-secrets.js';

/** A stream as its health is shown: how many rows it is behind the log. */
export interface StreamHealth {
  readonly stream: AuditStream;
  readonly behind: number;
  readonly replays: readonly StreamReplay[];
}

/** Use cases: where an organization's trail is sent on. */
export class ManageAuditStreams {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: AuditStreamStore,
    private readonly secrets: StreamSecrets,
    private readonly audit: StreamAudit,
    private readonly clock: Clock,
  ) {}

  /** @returns the stream and its secret, which is never shown again. */
  create(
    organizationId: string,
    wanted: { readonly name: string; readonly url: string; readonly format: StreamFormat; readonly fromSeq: number },
    origin: ChangeOrigin,
  ): Promise<{ readonly stream: AuditStream; readonly secret: string }> {
    const { name, url, format, fromSeq } = wanted;
    const streamId = newAuditStreamId();
    const stream: AuditStream = {
      ...{ streamId, version: 1, name, url, format, state: 'active', nextSeq: fromSeq, failures: 0 },
      createdAt: this.clock.now(),
    };
    const secret = newSecret();
    const sealed = this.secrets.seal(secret, organizationId, streamId);
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.store.insert(tx, stream, sealed);
      await this.audit.changed(tx, origin, 'audit.streams.create', [streamId], changeHashes(null, viewOf(stream)));
      return { stream, secret };
    });
  }

  /** Newest first. */
  list(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly AuditStream[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.list(tx, page));
  }

  /** @throws Failure `resource.not_found` */
  health(organizationId: string, streamId: string): Promise<StreamHealth> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const stream = requiredStream(await this.store.find(tx, streamId));
      const behind = Math.max(0, (await this.store.logSize(tx)) - stream.nextSeq);
      return { stream, behind, replays: await this.store.replays(tx, streamId) };
    });
  }

  /** @throws Failure `resource.not_found`; `state.conflict` where it is not active. */
  pause(organizationId: string, streamId: string, origin: ChangeOrigin): Promise<AuditStream> {
    return this.turn(organizationId, streamId, 'audit.streams.pause', ['active'], 'paused', origin);
  }

  /** Goes on from where it was. @throws Failure `resource.not_found`; `state.conflict` where it is active or revoked. */
  resume(organizationId: string, streamId: string, origin: ChangeOrigin): Promise<AuditStream> {
    return this.turn(organizationId, streamId, 'audit.streams.resume', ['paused', 'stopped'], 'active', origin);
  }

  /** @throws Failure `resource.not_found`; `state.conflict` where it was revoked before. */
  revoke(organizationId: string, streamId: string, origin: ChangeOrigin): Promise<AuditStream> {
    const all = ['active', 'paused', 'stopped'] as const;
    return this.turn(organizationId, streamId, 'audit.streams.revoke', all, 'revoked', origin);
  }

  /** @throws Failure `resource.not_found`; `input.invalid` for rows that are not in the log; `state.conflict` where it was revoked. */
  replay(
    organizationId: string,
    streamId: string,
    { from, to }: { readonly from: number; readonly to: number },
    origin: ChangeOrigin,
  ): Promise<StreamReplay> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const stream = requiredStream(await this.store.find(tx, streamId));
      if (stream.state === 'revoked') throw new Failure('state.conflict', { auditReason: 'stream_revoked' });
      if (from >= to || to > (await this.store.logSize(tx))) throw outsideLog();
      const replay = { replayId: newReplayId(), streamId, from, to, nextSeq: from };
      await this.store.addReplay(tx, replay);
      const hashes = changeHashes(null, replay);
      await this.audit.changed(tx, origin, 'audit.streams.replay', [streamId, replay.replayId], hashes);
      return replay;
    });
  }

  private turn(
    organizationId: string,
    streamId: string,
    operation: string,
    from: readonly AuditStream['state'][],
    to: AuditStream['state'],
    origin: ChangeOrigin,
  ): Promise<AuditStream> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = requiredStream(await this.store.find(tx, streamId));
      if (!(await this.store.setState(tx, streamId, from, to)))
        throw new Failure('state.conflict', { auditReason: `stream_${before.state}` });
      const after = requiredStream(await this.store.find(tx, streamId));
      await this.audit.changed(tx, origin, operation, [streamId], changeHashes(viewOf(before), viewOf(after)));
      return after;
    });
  }
}

function outsideLog(): Failure {
  const violation = { pointer: '/to', keyword: 'maximum', explanation: 'must be after from and within the log' };
  return new Failure('input.invalid', { violations: [violation] });
}
