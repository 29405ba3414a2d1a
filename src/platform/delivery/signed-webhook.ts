import type { WebhookSecrets } from '../../kernel/delivery/webhook-secrets.js';
import type { Clock } from '../../kernel/time.js';
import type { EgressClient } from '../egress/egress-client.js';
import { EgressRefused } from '../egress/egress-refused.js';

const TIMEOUT_MS = 15_000;
const ANSWER_MAX = 65_536;

/** A message for a webhook. Id and text are the same for every attempt, so that a receiver can tell a repetition. */
export interface WebhookMessage {
  /** Whose secret signs it. */
  readonly targetId: string;
  /** A secret before that counts as well. */
  readonly previousTargetId?: string;
  readonly url: string;
  readonly messageId: string;
  /** JSON, as it is signed and sent. */
  readonly text: string;
}

/** Posts messages through the egress guard, signed as Standard Webhooks are. */
export class SignedWebhook {
  constructor(
    private readonly egress: EgressClient,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /** Any 2xx is an arrival. @returns why it has not arrived: a code, and nothing that the other side said. */
  async send({ targetId, previousTargetId, url, messageId, text }: WebhookMessage): Promise<string | undefined> {
    const signers = previousTargetId === undefined ? [targetId] : [targetId, previousTargetId];
    const timestamp = Math.floor(this.clock.now() / 1000);
    try {
      const answer = await this.egress.post({
        url,
        text,
        type: 'application/json',
        headers: {
          'webhook-id': messageId,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': this.secrets.signatureOf(signers, messageId, timestamp, text),
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
