import { createHmac } from 'node:crypto';

/** Prefix of a secret in the notation of Standard Webhooks. */
const PREFIX = 'whsec_';

/**
 * Secrets of webhook targets: derived from the installation's secret and the target's id, so that none is stored. After a rotation
 * of that secret messages carry a signature of both, until the one before is forgotten.
 */
export class WebhookSecrets {
  /** @param keys of the installation, the current one first */
  constructor(private readonly keys: readonly Buffer[]) {}

  /** What the receiver is given, once. */
  secretOf(targetId: string): string {
    return `${PREFIX}${this.secretsOf(targetId)[0]?.toString('base64') ?? ''}`;
  }

  /**
   * The `webhook-signature` header of a message (Standard Webhooks: HMAC-SHA256 over id.timestamp.body), signed with each of the secrets.
   * @param targetIds whose secrets, the one in use first
   * @param timestamp seconds since the Unix epoch
   */
  signatureOf(targetIds: readonly string[], id: string, timestamp: number, body: string): string {
    const signed = `${id}.${timestamp}.${body}`;
    return targetIds
      .flatMap((targetId) => this.secretsOf(targetId))
      .map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
      .join(' ');
  }

  private secretsOf(targetId: string): readonly Buffer[] {
    return this.keys.map((key) => createHmac('sha256', key).update(targetId).digest());
  }
}
