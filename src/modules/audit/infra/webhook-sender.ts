import type { Clock } from '../../../kernel/time.js';
import type { EgressClient } from '../../../platform/egress/egress-client.js';
import { EgressRefused } from '../../../platform/egress/egress-refused.js';
import type { StreamBatch } from '../app/streams/stream-batch.js';
import type { HeldStream } from '../app/streams/stream-deliveries.js';
import type { StreamSecrets } from '../app/streams/stream-secrets.js';
import { webhookHeaders } from '../domain/exports/stream-signature.js';

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES = 65_536;
const GONE = 410;

/** Posts batches through the egress guard, signed as Standard Webhooks are. */
export class WebhookSender {
  constructor(
    private readonly egress: EgressClient,
    private readonly secrets: StreamSecrets,
    private readonly clock: Clock,
    private readonly timeoutMs: number = TIMEOUT_MS,
  ) {}

  /** @returns `taken`, `gone`, or what went wrong: a code, and nothing that the other side said. */
  async send({ lease, stream, sealedSecrets }: HeldStream, batch: StreamBatch): Promise<string> {
    const [secret, ...before] = sealedSecrets.map((sealed) =>
      this.secrets.open(sealed, lease.organizationId, lease.streamId),
    );
    if (secret === undefined) return 'secret_unreadable';
    const readable = [secret, ...before.filter((older) => older !== undefined)];
    const headers = webhookHeaders(readable, batch.id, this.clock.now(), JSON.stringify(batch.body));
    const limits = { maxBytes: ANSWER_BYTES, timeoutMs: this.timeoutMs };
    try {
      const answer = await this.egress.post({ url: stream.url, headers, json: batch.body, ...limits });
      await answer.discard();
      if (answer.status >= 200 && answer.status < 300) return 'taken';
      return answer.status === GONE ? 'gone' : `http_${answer.status}`;
    } catch (error) {
      if (error instanceof EgressRefused) return error.reason;
      throw error;
    }
  }
}
