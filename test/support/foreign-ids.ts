import { expect } from 'vitest';
import pg from 'pg';
import { DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { BUILT_IN_POLICY } from '../../src/modules/tenancy/index.js';
import { callAdmin } from './admin-client.js';
import { registerClient, trustIssuer } from './agent-clients.js';
import { letAgentIn, READ_SCOPES } from './agents.js';
import { publishPolicy } from './dealer-policy.js';
import type { TestService } from './service.js';
import { addPersons, personBearer } from './staff.js';

/** Ids of things, by the name of the argument or parameter that takes one. */
export type Ids = Readonly<Record<string, string>>;

/** What no organization has. */
export const ABSENT_IDS: Ids = {
  organization_id: 'org.absent',
  rooftop_id: 'roof.absent',
  vehicle_id: 'veh.absent',
  vin: '1HGCM82633A004352',
  stock_number: 'ABSENT-1',
  policy_id: 'policy.absent',
  profile_id: 'profile.absent',
  feed_id: 'feed.absent',
  run_id: 'run.absent',
  grant_id: 'grant.absent',
  delegation_id: 'dlg.absent',
  key_id: 'aaaaaaaaaa',
  agent_client_id: 'client.absent',
  trusted_issuer_id: 'issuer.absent',
  approval_id: 'apr.absent',
  draft_id: 'draft.absent',
  retention_draft_id: 'retd.absent',
  event_id: 'req_00000000000000000000000000',
  person_id: 'staff.absent',
  move_id: 'move.00000000000000000000000000',
  trace_id: 'trc_00000000000000000000000000',
  version: '999',
  target_id: 'target.absent',
  export_id: 'export.absent',
  stream_id: 'stream.absent',
  resource_id: 'veh.absent',
  size: '9007199254740991',
  hold_id: 'hold.absent',
  notice_id: 'notice.absent',
  retention_run_id: 'ret.absent',
  deletion_record_id: 'del.absent',
  request_id: 'privacy.absent',
  record_id: 'record.absent',
};

/** Where the ids of each kind are kept. */
const KEPT: Ids = {
  feed_id: 'SELECT feed_id AS id FROM feeds',
  run_id: 'SELECT run_id AS id FROM feed_runs',
  grant_id: 'SELECT grant_id AS id FROM grants',
  delegation_id: 'SELECT delegation_id AS id FROM group_delegations',
  key_id: 'SELECT key_id AS id FROM api_keys',
  approval_id: 'SELECT approval_id AS id FROM approvals',
  vehicle_id: 'SELECT u.vehicle_id AS id FROM units u JOIN rooftop_inventory i USING (organization_id, snapshot_id)',
  vin: 'SELECT u.vin AS id FROM units u JOIN rooftop_inventory i USING (organization_id, snapshot_id)',
  stock_number:
    'SELECT u.stock_number AS id FROM units u JOIN rooftop_inventory i USING (organization_id, snapshot_id)',
  event_id: 'SELECT event_id AS id FROM audit_events',
  trace_id: 'SELECT trace_id AS id FROM audit_events',
  target_id: 'SELECT target_id AS id FROM audit_targets',
  hold_id: 'SELECT hold_id AS id FROM legal_holds',
  notice_id: 'SELECT notice_id AS id FROM hold_notices',
  notice_target_id: 'SELECT target_id AS id FROM hold_notice_targets',
  retention_run_id: 'SELECT run_id AS id FROM retention_runs',
  request_id: 'SELECT request_id AS id FROM privacy_requests',
  deletion_record_id: 'SELECT record_id AS id FROM deletion_records',
  standing_approval_id: 'SELECT standing_id AS id FROM retention_standing_approvals',
};

/** Gives the demo group two of everything that an organization can have. @returns an id of each kind */
export async function fillDemoGroup(service: TestService): Promise<Ids> {
  const owner = `Bearer ${await service.adminToken()}`;
  const persons = await addPersons(service, DEMO_ORGANIZATION);
  const person = await personBearer(service, persons.admin);
  const auditor = await personBearer(service, persons.auditor);
  const compliance = await personBearer(service, persons.compliance);
  const post = async (path: string, body: object, headers = {}, as = person): Promise<Record<string, string>> => {
    const answer = await callAdmin(service, as, 'POST', path, body, headers);
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json.data as Record<string, string>;
  };
  let made: Ids = {};
  await publishPolicy(service, persons, {});
  for (const n of [1, 2]) {
    const { grantId } = await letAgentIn(service, { subject: `agent:${n}` });
    const issuer = `https://issuer-${n}.example`;
    const { agentClientId } = await registerClient(service, `${service.origin}/oauth`, `client-${n}`, grantId);
    await post('group-delegations', {
      ...{ grantee: 'agent:x', covers: 'listed', rooftop_ids: ['roof.downtown'] },
      ...{ scopes: READ_SCOPES, expires_at: '2099-01-01T00:00:00Z' },
    });
    await post('audit/targets', { kind: 'webhook', address: `https://receiver-${n}.example/audit` });
    const move = await post('rooftop-moves', { rooftop_id: 'roof.downtown', to_organization_id: 'org.x' });
    const document = { ...BUILT_IN_POLICY, withheld_fields: ['media'] };
    const draft = await post('policies/drafts', { document, reason: `Draft ${n}` });
    await post(`policies/drafts/${draft['draft_id'] ?? ''}/publish`, {}, { 'if-match': '"1"' });
    const retention = await post(
      'retention/policies/drafts',
      { policy_id: 'retention.demo', name: 'Demo', profile_id: 'us.dealer', reason: `Draft ${n}` },
      {},
      compliance,
    );
    const exported = await post('audit/exports', { format: 'ndjson' }, {}, auditor);
    const streamed = { name: `SIEM ${n}`, url: `https://siem-${n}.example/audit` };
    const stream = await post('audit/streams', streamed, {}, auditor);
    made = {
      export_id: exported['export_id'] ?? '',
      stream_id: stream['stream_id'] ?? '',
      agent_client_id: agentClientId,
      trusted_issuer_id: await trustIssuer(service, issuer),
      move_id: move['move_id'] ?? '',
      draft_id: draft['draft_id'] ?? '',
      retention_draft_id: retention['draft_id'] ?? '',
    };
  }
  const hold = await post('holds', { matter: 'Roe', reason: 'claim', categories: ['lead'] }, {}, compliance);
  const notice = { person_ids: [persons.auditor], message: 'Keep what Roe sent.' };
  await post('hold-notice-targets', { kind: 'webhook', address: 'https://holds.example/notices' }, {}, compliance);
  await post(`holds/${hold['hold_id'] ?? ''}/notices`, notice, {}, compliance);
  await post('retention/runs', { reason: 'Routine' }, {}, compliance);
  const asked = { asked_by: 'subject', asked_reference: 'TICKET-1' };
  const about = { kind: 'access', subject_kind: 'person', subject_id: persons.auditor };
  await post('privacy-requests', { ...about, ...asked }, {}, compliance);
  await recordDeletion(service);
  await callAdmin(service, owner, 'GET', 'feeds');
  const kept = await keptIds(service);
  return {
    ...made,
    ...kept,
    resource_id: kept['vehicle_id'] ?? '',
    organization_id: DEMO_ORGANIZATION,
    rooftop_id: 'roof.downtown',
    policy_id: 'policy.published-retail',
    profile_id: 'profile.none', // those that ship are everybody's
    person_id: persons.auditor,
    version: '1',
    size: '9007199254740990', // sizes are counted, so that each organization has its own of most of them
  };
}

/** A deletion record and a standing approval, which would need people and a policy. */
async function recordDeletion(service: TestService): Promise<void> {
  const client = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await client.connect();
  await client.query(`INSERT INTO retention_standing_approvals (organization_id, standing_id, policy_id, policy_version, policy_hash, categories, record_cap, reason,
      requester_kind, requested_by, requested_at, expires_at, content_hash)
    VALUES ('${DEMO_ORGANIZATION}', 'standing.foreign', 'retention.demo', 1, repeat('a', 64), '{lead}', 1, 'Routine', 'person', 'staff.foreign', now(),
      now() + interval '1 day', repeat('a', 64))`);
  await client.query(`ALTER TABLE deletion_records DISABLE TRIGGER deletion_records_are_audited;
    INSERT INTO deletion_records (organization_id, record_id, kind, source_id, content, content_sha256, event_id)
      SELECT organization_id, 'del.foreign', 'run', 'ret.foreign', '{}', encode(sha256('{}'), 'hex'), event_id FROM audit_events
      WHERE organization_id = '${DEMO_ORGANIZATION}' LIMIT 1`);
  await client.end();
}

async function keptIds(service: TestService): Promise<Ids> {
  const client = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await client.connect();
  const ids: Record<string, string> = {};
  for (const [name, query] of Object.entries(KEPT)) {
    const { rows } = await client.query<{ id: string }>(`${query} WHERE organization_id = $1 LIMIT 1`, [
      DEMO_ORGANIZATION,
    ]);
    if (rows[0] === undefined) throw new Error(`the demo group has no ${name}`);
    ids[name] = rows[0].id;
  }
  await client.end();
  return ids;
}
