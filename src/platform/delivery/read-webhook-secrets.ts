import { WebhookSecrets } from '../../kernel/delivery/webhook-secrets.js';
import { deriveKey, readSecrets, type SecretPurpose } from '../config/secrets.js';
import type { Settings } from '../config/settings.js';

/** Secrets of the webhooks of one purpose, of this installation's secret and the one before its last rotation. */
export async function readWebhookSecrets(settings: Settings, purpose: SecretPurpose): Promise<WebhookSecrets> {
  const { current, previous } = await readSecrets(settings);
  const known = previous === null ? [current] : [current, previous];
  return new WebhookSecrets(known.map((secret) => deriveKey(secret, purpose)));
}
