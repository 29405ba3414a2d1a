import { AuditKeys, logOrigin, SIGNING_KEY, type SigningKey } from '../modules/audit/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import { type Output, table } from './output.js';

/**
 * `audit key`: the public key that checkpoints are checked with; with an organization, all keys of its log by id, those before
 * the last rotations included.
 */
export function auditKey(options: { readonly organization?: string }, output: Output): Promise<number> {
  const settings = commandSettings();
  return withService(settings, (service) => {
    if (options.organization === undefined) showCurrent(service.get<SigningKey | undefined>(SIGNING_KEY), output);
    else {
      const keys = service.get(AuditKeys).list(logOrigin(settings.GATEWAY_ID, options.organization));
      output.result(
        table(
          ['key id', 'state', 'verifier key'],
          keys.map((key) => [key.keyId, key.state, key.verifierKey]),
        ),
        keys.map(({ keyId, state, verifierKey, publicKey }) => ({
          key_id: keyId,
          state,
          verifier_key: verifierKey,
          public_key: publicKey,
        })),
      );
    }
    return Promise.resolve(EXIT.done);
  });
}

function showCurrent(key: SigningKey | undefined, output: Output): void {
  if (key === undefined)
    throw new CommandError('there is no audit signing key; set AUDIT_SIGNING_KEY_FILE', EXIT.failed);
  const pem = key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  output.result(pem.trimEnd(), { public_key: pem });
}
