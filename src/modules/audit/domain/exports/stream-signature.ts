import { createHmac, randomBytes } from 'node:crypto';

/** What a secret begins with (Standard Webhooks). */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Another secret: `whsec_` and base64. */
export const newSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * Headers of a delivery as Standard Webhooks has them: HMAC-SHA256 over `id.timestamp.body`, one signature for each secret.
 * @param secrets `whsec_` and base64, the one in use first
 * @param at milliseconds since the Unix epoch
 */
export function webhookHeaders(
  secrets: readonly string[],
  id: string,
  at: number,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
