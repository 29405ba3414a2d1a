import { createHmac } from 'node:crypto';

/** What a secret begins with (Standard Webhooks). */
export const SECRET_PREFIX = 'whsec_';

/**
 * Headers of a delivery as Standard Webhooks has them: the signature is HMAC-SHA256 over `id.timestamp.body`.
 * @param secret `whsec_` and base64
 * @param at milliseconds since the Unix epoch
 */
export function webhookHeaders(secret: string, id: string, at: number, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
