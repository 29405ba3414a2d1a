import { join } from 'node:path';
import { DEMO_GROUP, DEMO_ORGANIZATION } from '../demo/demo-group.js';
import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';
import type { AgentAuthenticator } from '../kernel/ports/agent-authenticator.js';
import { AGENT_AUTHENTICATOR } from '../kernel/ports/agent-authenticator.js';
import { GRANT_SCOPES, IssueGrant } from '../modules/auth/index.js';
import { holdsAcceptedKey, writeKeyFile } from './key-file.js';
import type { ServiceParts } from './service-parts.js';

const YEAR_MS = 365 * 86_400_000;
const PROFILES = [
  'dealeragent.discovery/0.1',
  'dealeragent.inventory.read/0.1',
  'dealeragent.inventory.availability/0.1',
  'dealeragent.pricing.disclosure/0.1',
  'dealeragent.used-vehicle.read/0.1',
];

/**
 * The file with the key of the demo's agent, which may ask everything of every demo rooftop. A missing key, or one that
 * this database does not know, is made anew with a grant of its own.
 */
export async function findAgentKey(service: ServiceParts, dataDir: string): Promise<string> {
  const file = join(dataDir, 'agent.key');
  const agents = service.get<AgentAuthenticator>(AGENT_AUTHENTICATOR);
  if (await holdsAcceptedKey(file, (header) => agents.authenticate(header, 'local'))) return file;
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  const { key } = await service.get(IssueGrant).run(
    DEMO_ORGANIZATION,
    {
      subject: 'agent:demo',
      rooftops: { rooftopIds: DEMO_GROUP.rooftops.map((rooftop) => rooftop.rooftopId) },
      profiles: PROFILES,
      scopes: [...GRANT_SCOPES],
      purposes: ['vehicle_shopping'],
      expiresAt: Date.now() + YEAR_MS,
    },
    { eventId, traceId, surface: 'command', actorKind: 'system', actor: 'local-start', client: null },
  );
  await writeKeyFile(file, key.token);
  return file;
}
