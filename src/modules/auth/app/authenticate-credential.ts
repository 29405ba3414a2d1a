import type { AgentCaller } from '../../../kernel/caller.js';
import type { AgentAuthenticator, Presented } from '../../../kernel/ports/agent-authenticator.js';
import type { AuthenticateToken } from './authenticate-token.js';

/** How an API key begins, whoever wrote it: anything else after the scheme is a token. */
const API_KEY = /^Bearer +fck_/i;

/** Use case: an agent shows either an API key or an access token. Neither is ever tried as the other. */
export class AuthenticateCredential implements AgentAuthenticator {
  constructor(
    private readonly keys: AgentAuthenticator,
    private readonly tokens: AuthenticateToken,
  ) {}

  authenticate(header: string, network: string, address?: string, presented?: Presented): Promise<AgentCaller> {
    return presented === undefined || API_KEY.test(header)
      ? this.keys.authenticate(header, network, address)
      : this.tokens.authenticate(header, network, presented);
  }
}
