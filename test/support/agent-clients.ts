import { callAdmin } from './admin-client.js';
import type { TestService } from './service.js';

/** Has the organization of the demo accept the tokens of an issuer, as a dealer does it, over the admin API. */
export async function trustIssuer(
  service: TestService,
  issuer: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { trusted_issuer_id: id } = await create(service, 'trusted-issuers', { issuer, ...changes });
  return id as string;
}

export interface RegisteredClient {
  readonly agentClientId: string;
  readonly clientId: string;
}

/** Lets an OAuth client in, with a grant or without. */
export async function registerClient(
  service: TestService,
  issuer: string,
  clientId: string,
  grantId?: string,
): Promise<RegisteredClient> {
  const { agent_client_id: agentClientId } = await create(service, 'agent-clients', {
    issuer,
    client_id: clientId,
    name: 'A client of a test',
    ...(grantId === undefined ? {} : { grant_id: grantId }),
  });
  return { agentClientId: agentClientId as string, clientId };
}

async function create(service: TestService, path: string, body: object): Promise<Record<string, unknown>> {
  const { status, json } = await callAdmin(service, `Bearer ${await service.adminToken()}`, 'POST', path, body);
  if (status !== 201) throw new Error(`${path} was not created: ${JSON.stringify(json)}`);
  return json.data as Record<string, unknown>;
}
