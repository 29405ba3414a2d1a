import type { AgentCaller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { AgentAuthenticator } from '../../../kernel/ports/agent-authenticator.js';
import type { Clock } from '../../../kernel/time.js';
import { effectiveGrant, refusalOfGrant } from '../domain/grant-record.js';
import { refusedCredential, type VerifiedKeys } from './verified-keys.js';

/**
 * Use case: establishes which agent calls and under which grant. Keys of staff open the admin API and nothing here: a
 * person's key in an agent's hands would carry no grant to decide by (decision record 0023).
 */
export class AuthenticateAgent implements AgentAuthenticator {
  constructor(
    private readonly keys: VerifiedKeys,
    private readonly clock: Clock,
  ) {}

  async authenticate(header: string, network: string, address?: string): Promise<AgentCaller> {
    const { key, grant } = await this.keys.verify(header, address);
    if (key.role !== 'app')
      throw new Failure('caller.role_forbidden', { auditReason: 'staff_key_on_protocol_surface' });
    if (grant === undefined) throw new Failure('grant.scope_insufficient', { auditReason: 'key_without_grant' });
    const refusal = refusalOfGrant(grant, this.clock.now());
    if (refusal !== undefined) throw refusedCredential(refusal);
    const narrowed = key.scopes.length === 0 ? {} : { keyScopes: key.scopes };
    return {
      kind: 'agent',
      subject: grant.subject,
      grant: { ...effectiveGrant(grant), ...narrowed },
      network,
      credentialId: key.keyId,
    };
  }
}
