import { errors, type Interaction, type Provider } from 'oidc-provider';
import type { AuthorizationEngine, PendingRequest } from '../app/authorization-engine.js';
import type { Exchange } from '../app/exchange.js';

/** The protocol library behind its port. */
export class OidcEngine implements AuthorizationEngine {
  private readonly callback: ReturnType<Provider['callback']>;

  constructor(private readonly provider: Provider) {
    this.callback = provider.callback();
  }

  handle({ request, response }: Exchange): Promise<void> {
    return this.callback(request, response);
  }

  async pending({ request, response }: Exchange): Promise<PendingRequest | undefined> {
    const interaction = await this.provider.interactionDetails(request, response).catch(notFound);
    return interaction === undefined ? undefined : this.describe(interaction);
  }

  signedIn({ request, response }: Exchange, personId: string): Promise<string> {
    // `remember: false`: the cookie ends with the browser, and the session with this request.
    const login = { accountId: personId, amr: ['otp'], remember: false };
    return this.provider.interactionResult(request, response, { login }, { mergeWithLastSubmission: false });
  }

  async consented({ request, response }: Exchange, pending: PendingRequest): Promise<string> {
    const { personId, clientId, resource, scopes } = pending;
    const grant = new this.provider.Grant({ accountId: personId, clientId });
    grant.addResourceScope(resource, scopes.join(' '));
    const consent = { grantId: await grant.save() };
    return this.provider.interactionResult(request, response, { consent }, { mergeWithLastSubmission: true });
  }

  refused({ request, response }: Exchange): Promise<string> {
    const result = { error: 'access_denied', error_description: 'the person refused' };
    return this.provider.interactionResult(request, response, result, { mergeWithLastSubmission: false });
  }

  private async describe({ uid, prompt, params, session }: Interaction): Promise<PendingRequest | undefined> {
    const client = await this.provider.Client.find(String(params['client_id']));
    const [resource] = [params['resource']].flat();
    if (client === undefined || typeof resource !== 'string') return undefined;
    const missing = prompt.details['missingResourceScopes'] as Record<string, readonly string[]> | undefined;
    return {
      uid,
      step: prompt.name === 'consent' ? 'consent' : 'login',
      clientId: client.clientId,
      clientName: client.clientName,
      redirectUri: String(params['redirect_uri']),
      resource,
      scopes: missing?.[resource] ?? [],
      personId: session?.accountId,
    };
  }
}

/** No cookie, one of another request, or of one that is over. */
function notFound(error: unknown): undefined {
  if (error instanceof errors.SessionNotFound) return undefined;
  throw error;
}
