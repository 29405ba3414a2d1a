import type { Clock } from '../../../../kernel/time.js';
import type { SignedWebhook } from '../../../../platform/delivery/signed-webhook.js';
import type { ReadStatement, StatementCarrier } from '../../app/outside/statement-carrier.js';
import type { ClaimedTarget } from '../../app/outside/target-progress.js';
import { signersOf } from '../../domain/target-signers.js';

/** Statements as signed webhooks. */
export class WebhookCarrier implements StatementCarrier {
  constructor(
    private readonly webhook: SignedWebhook,
    private readonly clock: Clock,
  ) {}

  deliver(target: ClaimedTarget, statement: ReadStatement): Promise<string | undefined> {
    const { messageId } = statement;
    const [targetId, previousTargetId] = signersOf(target, this.clock.now());
    const before = previousTargetId === undefined ? {} : { previousTargetId };
    return this.webhook.send({ targetId, ...before, url: target.address, messageId, text: bodyOf(target, statement) });
  }
}

/** The same for every attempt. */
function bodyOf(target: ClaimedTarget, { day, endsAt, origin, checkpoint, note }: ReadStatement): string {
  return JSON.stringify({
    type: 'audit.statement',
    timestamp: endsAt,
    data: {
      organization_id: target.organizationId,
      day,
      time_zone: target.timeZone,
      origin,
      size: checkpoint?.size ?? null,
      root: checkpoint === undefined ? null : Buffer.from(checkpoint.root).toString('base64'),
      checkpoint: note,
    },
  });
}
