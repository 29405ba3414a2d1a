import { createHash } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import { CursorSealer } from './kernel/cursor/cursor-sealer.js';
import type { GatewayIdentity } from './operations/gateway-identity.js';
import { CURSOR_SEALER, GATEWAY_IDENTITY } from './operations/gateway-identity.js';
import { deriveKey, readSecrets } from './platform/config/secrets.js';
import type { Settings } from './platform/config/settings.js';
import { SETTINGS } from './platform/config/settings.js';
import { PUBLIC_URL } from './platform/http/public-url.js';

/** Binds the deployment's settings to what the operations ask for. */
@Global()
@Module({
  providers: [
    {
      provide: GATEWAY_IDENTITY,
      inject: [SETTINGS, PUBLIC_URL],
      useFactory: (settings: Settings, publicUrl: string): GatewayIdentity => ({
        gatewayId: settings.GATEWAY_ID,
        operatorName: settings.OPERATOR_NAME,
        publicUrl,
        authModes: ['public', 'workload_identity'], // agents have keys of their own (decision record 0023)
        pipeline: {
          anonymousCallsPerMinute: settings.ANONYMOUS_CALLS_PER_MINUTE,
          agentCallsPerMinute: settings.AGENT_CALLS_PER_MINUTE,
          agentKeyCallsPerMinute: settings.AGENT_KEY_CALLS_PER_MINUTE,
          rooftopCallsPerMinute: settings.ROOFTOP_CALLS_PER_MINUTE,
          validateEvery: settings.VALIDATE_ANSWERS_EVERY,
        },
      }),
    },
    { provide: CURSOR_SEALER, inject: [SETTINGS], useFactory: makeCursorSealer },
  ],
  exports: [GATEWAY_IDENTITY, CURSOR_SEALER],
})
export class GatewayModule {}

/** The current secret signs; the one before the last rotation is still accepted. Key ids are derived, so that processes agree. */
async function makeCursorSealer(settings: Settings): Promise<CursorSealer> {
  const { current, previous } = await readSecrets(settings);
  const keyOf = (secret: string): { id: number; secret: Buffer } => {
    const key = deriveKey(secret, 'cursor');
    return { id: createHash('sha256').update(key).digest().readUInt8(0), secret: key };
  };
  const signing = keyOf(current);
  const older = previous === null ? [] : [keyOf(previous)].filter((k) => k.id !== signing.id);
  return new CursorSealer([signing, ...older]);
}
