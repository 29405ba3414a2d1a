import type { RooftopSettings } from '../../src/modules/tenancy/index.js';
import { callAdmin } from './admin-client.js';
import type { TestService } from './service.js';

export const READ_SCOPES = ['dealeragent:inventory:read', 'dealeragent:pricing:read'];
export const CORE_PROFILES = [
  'dealeragent.discovery/0.1',
  'dealeragent.inventory.read/0.1',
  'dealeragent.inventory.availability/0.1',
  'dealeragent.pricing.disclosure/0.1',
];

export interface LetIn {
  readonly grantId: string;
  readonly keyId: string;
  readonly token: string;
  /** As a header value. */
  readonly bearer: string;
}

/** Lets an agent in as a dealer does it, over the admin API. */
export async function letAgentIn(
  service: TestService,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<LetIn> {
  const { status, json } = await callAdmin(service, `Bearer ${await service.adminToken()}`, 'POST', 'grants', {
    subject: 'agent:buyer-assistant',
    ...(changes['delegation_id'] === undefined ? { rooftop_ids: ['roof.downtown'] } : {}),
    profiles: CORE_PROFILES,
    scopes: READ_SCOPES,
    purposes: ['vehicle_shopping'],
    expires_at: '2099-01-01T00:00:00Z',
    ...changes,
  });
  if (status !== 201) throw new Error(`the agent was not let in: ${JSON.stringify(json)}`);
  const { grant_id: grantId, key } = json.data as { grant_id: string; key: { key_id: string; token: string } };
  return { grantId, keyId: key.key_id, token: key.token, bearer: `Bearer ${key.token}` };
}

/** Connects a rooftop to a system that answers for its units, as a dealer does it, over the admin API. */
export async function connectSource(
  service: TestService,
  rooftopId: string,
  source: RooftopSettings['availability_source'],
): Promise<void> {
  const staff = `Bearer ${await service.adminToken()}`;
  const path = `rooftops/${rooftopId}/settings`;
  const current = await callAdmin(service, staff, 'GET', path);
  const { settings } = current.json.data as { settings: object };
  const response = await fetch(`${service.origin}/admin/v1/${path}`, {
    method: 'PUT',
    headers: {
      authorization: staff,
      'content-type': 'application/json',
      'if-match': current.headers.get('etag') ?? '',
    },
    body: JSON.stringify({
      settings: { ...settings, availability_source: source },
      reason: 'connects the test system',
    }),
  });
  if (!response.ok) throw new Error(`the source was not connected: ${await response.text()}`);
}
