import { changeHashes } from '../../../../kernel/change-hashes.js';
import { Failure } from '../../../../kernel/failure/failure.js';
import { LIMITS } from '../../../../kernel/limits.js';
import { type ExpectedVersions, requireVersion, requireVersions } from '../../../../kernel/precondition.js';
import type { TenantTransaction, UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../../kernel/time.js';
import { newSecret } from '../../domain/exports/stream-signature.js';
import type { ChangeOrigin } from '../transactional-audit.js';
import type { AuditStream } from './audit-stream.js';
import type { AuditStreamStore, StreamChange } from './audit-stream-store.js';
import { requiredStream } from './required-stream.js';
import { type StreamAudit, viewOf } from './stream-audit.js';
import type { StreamSecrets } from './stream-secrets.js';

/** Which stream is changed, as whoever changes it has seen it (If-Match), and by whom. */
export interface StreamToChange {
  readonly organizationId: string;
  readonly streamId: string;
  readonly expected: ExpectedVersions;
  readonly origin: ChangeOrigin;
}

/** Use cases: a stream gets another name, address or secret, and keeps its place in the log (decision record 0062). */
export class ChangeAuditStream {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: AuditStreamStore,
    private readonly secrets: StreamSecrets,
    private readonly audit: StreamAudit,
    private readonly clock: Clock,
  ) {}

  /**
   * The address is judged when something is sent to it, as at creation: by the egress guard.
   * @throws Failure `input.precondition`, also for a stream that was revoked; `resource.not_found`
   */
  change(named: StreamToChange, { name, url }: Partial<StreamChange>): Promise<AuditStream> {
    return this.changing(named, 'audit.streams.change', (tx, before) =>
      this.store.change(tx, before, { name: name ?? before.name, url: url ?? before.url }),
    );
  }

  /**
   * @param overlapSeconds how long deliveries carry the signature of the secret before as well; 0: not at all
   * @returns the stream and its secret, which is never shown again.
   * @throws Failure as `change` does
   */
  async rotateSecret(
    named: StreamToChange,
    overlapSeconds: number = LIMITS.webhookSecretOverlapDefaultSeconds.value,
  ): Promise<{ readonly stream: AuditStream; readonly secret: string }> {
    const secret = newSecret();
    const sealed = this.secrets.seal(secret, named.organizationId, named.streamId);
    const until = overlapSeconds === 0 ? null : this.clock.now() + overlapSeconds * 1000;
    const stream = await this.changing(named, 'audit.streams.rotate_secret', (tx, before) =>
      this.store.rotate(tx, before, sealed, until),
    );
    return { stream, secret };
  }

  private async changing(
    { organizationId, streamId, expected, origin }: StreamToChange,
    operation: string,
    change: (tx: TenantTransaction, before: AuditStream) => Promise<boolean>,
  ): Promise<AuditStream> {
    const versions = requireVersions(expected);
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const before = requiredStream(await this.store.find(tx, streamId));
      requireVersion(versions, before.version);
      if (before.state === 'revoked' || !(await change(tx, before)))
        throw new Failure('input.precondition', {
          reason: 'precondition_failed',
          auditReason: before.state === 'revoked' ? 'stream_revoked' : 'changed_meanwhile',
        });
      const after = requiredStream(await this.store.find(tx, streamId));
      await this.audit.changed(tx, origin, operation, [streamId], changeHashes(viewOf(before), viewOf(after)));
      return after;
    });
  }
}
