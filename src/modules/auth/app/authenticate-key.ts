import type { StaffCaller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { KeyAuthenticator } from '../../../kernel/ports/key-authenticator.js';
import type { VerifiedKeys } from './verified-keys.js';

/** Use case: establishes which person or program holds a presented API key. */
export class AuthenticateKey implements KeyAuthenticator {
  constructor(private readonly keys: VerifiedKeys) {}

  async authenticate(header: string | undefined, network: string, address?: string): Promise<StaffCaller> {
    if (header === undefined) throw new Failure('caller.unauthenticated');
    const { keyId, organizationId, role, scopes } = (await this.keys.verify(header, address)).key;
    return { kind: 'key', keyId, organizationId, role, network, ...(scopes.length === 0 ? {} : { scopes }) };
  }
}
