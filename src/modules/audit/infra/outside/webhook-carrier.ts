import type { Clock } from '../../../../kernel/time.js';
import type { EgressClient } from '../../../../platform/egress/egress-client.js';
import { EgressRefused } from '../../../../platform/egress/egress-refused.js';
import type { ReadStatement, StatementCarrier } from '../../app/outside/statement-carrier.js';
import type { ClaimedTarget } from '../../app/outside/target-progress.js';
import type { WebhookSecrets } from '../../app/outside/webhook-secrets.js';

const TIMEOUT_MS = 15_000;
const ANSWER_MAX = 65_536;

/** Statements as signed webhooks (Standard Webhooks). Any 2xx is an arrival. */
export class WebhookCarrier implements StatementCarrier {
  constructor(
    private readonly egress: EgressClient,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  async deliver(target: ClaimedTarget, statement: ReadStatement): Promise<string | undefined> {
    const text = bodyOf(target, statement);
    const timestamp = Math.floor(this.clock.now() / 1000);
    try {
      const answer = await this.egress.post({
        url: target.address,
        text,
        type: 'application/json',
        headers: {
          'webhook-id': statement.messageId,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': this.secrets.signatureOf(target.targetId, statement.messageId, timestamp, text),
        },
        maxBytes: ANSWER_MAX,
        timeoutMs: TIMEOUT_MS,
      });
      await answer.discard();
      return answer.status >= 200 && answer.status < 300 ? undefined : `status_${answer.status}`;
    } catch (error) {
      return error instanceof EgressRefused ? error.reason : 'unreachable';
    }
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
