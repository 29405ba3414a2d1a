import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP, DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { newRequestId, traceIdOfRequest } from '../../src/kernel/ids.js';
import { ManageStaff } from '../../src/modules/staff/index.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import type { ApiRoute } from '../architecture/api-routes.js';
import { readApiRoutes } from '../architecture/api-routes.js';
import { readOperations } from '../architecture/operation-table.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { CORE_PROFILES, letAgentIn, READ_SCOPES } from '../support/agents.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

/** Who asks; the demo group is who is asked about. */
const ASKER = 'org.asker';
const OWN_STORE = 'roof.asker';

/** Ids of the demo group by the name of the argument or parameter, and what no organization has. */
const REAL: Record<string, string> = {};
const ABSENT: Readonly<Record<string, string>> = {
  organization_id: 'org.absent',
  rooftop_id: 'roof.absent',
  vehicle_id: 'veh.absent',
  vin: '1HGCM82633A004352',
  stock_number: 'ABSENT-1',
  policy_id: 'policy.absent',
  feed_id: 'feed.absent',
  run_id: 'run.absent',
  grant_id: 'grant.absent',
  delegation_id: 'dlg.absent',
  key_id: 'aaaaaaaaaa',
  agent_client_id: 'client.absent',
  trusted_issuer_id: 'issuer.absent',
  approval_id: 'apr.absent',
  draft_id: 'draft.absent',
  event_id: 'req_00000000000000000000000000',
  person_id: 'staff.absent',
  move_id: 'move.00000000000000000000000000',
};

/** Where the ids of each kind are kept. */
const TABLES: Readonly<Record<string, string>> = {
  feed_id: 'SELECT feed_id AS id FROM feeds',
  run_id: 'SELECT run_id AS id FROM feed_runs',
  grant_id: 'SELECT grant_id AS id FROM grants',
  delegation_id: 'SELECT delegation_id AS id FROM group_delegations',
  key_id: 'SELECT key_id AS id FROM api_keys',
  vehicle_id: 'SELECT u.vehicle_id AS id FROM units u JOIN rooftop_inventory i USING (organization_id, snapshot_id)',
  vin: 'SELECT u.vin AS id FROM units u JOIN rooftop_inventory i USING (organization_id, snapshot_id)',
  stock_number:
    'SELECT u.stock_number AS id FROM units u JOIN rooftop_inventory i USING (organization_id, snapshot_id)',
  event_id: 'SELECT event_id AS id FROM audit_events',
};

let service: TestService;
let routes: readonly ApiRoute[];
let admin: string;
let agent: string;

beforeAll(async () => {
  service = await startTestService();
  routes = await readApiRoutes();
  const [store] = DEMO_GROUP.rooftops;
  if (store === undefined) throw new Error('the demo group has no rooftop');
  await service.parts.get(CreateDealerGroup).run({
    ...{ organizationId: ASKER, name: 'Asker', legalName: null, website: null },
    rooftops: [{ ...store, rooftopId: OWN_STORE, name: 'Asker Store' }],
  });
  admin = `Bearer ${await createKey(service, ASKER, 'admin')}`;
  const granted = await callAdmin(service, admin, 'POST', 'grants', {
    ...{ subject: 'agent:asker', rooftop_ids: [OWN_STORE], profiles: CORE_PROFILES, scopes: READ_SCOPES },
    ...{ purposes: ['vehicle_shopping'], expires_at: '2099-01-01T00:00:00Z' },
  });
  agent = `Bearer ${(granted.json.data as { key: { token: string } }).key.token}`;
  await fillTheOther();
});
afterAll(async () => {
  await service.stop();
});

/** Something of every kind that the demo group can have. */
async function fillTheOther(): Promise<void> {
  const owner = `Bearer ${await service.adminToken()}`;
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await callAdmin(service, owner, 'POST', path, body);
    expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json.data as Record<string, string>;
  };
  await letAgentIn(service);
  await post('group-delegations', {
    ...{ grantee: 'agent:x', covers: 'listed', rooftop_ids: ['roof.downtown'] },
    ...{ scopes: READ_SCOPES, expires_at: '2099-01-01T00:00:00Z' },
  });
  REAL['organization_id'] = DEMO_ORGANIZATION;
  REAL['rooftop_id'] = 'roof.downtown';
  REAL['policy_id'] = 'policy.published-retail';
  REAL['move_id'] =
    (await post('rooftop-moves', { rooftop_id: 'roof.downtown', to_organization_id: 'org.x' }))['move_id'] ?? '';
  const eventId = newRequestId();
  const origin = { eventId, traceId: traceIdOfRequest(eventId), actor: 'test', client: null };
  const person = await service.parts
    .get(ManageStaff)
    .create(
      DEMO_ORGANIZATION,
      { name: 'Ada Stone', role: 'auditor' },
      { ...origin, surface: 'command', actorKind: 'system' },
    );
  REAL['person_id'] = person.personId;
  const client = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await client.connect();
  for (const [name, query] of Object.entries(TABLES)) {
    const { rows } = await client.query<{ id: string }>(`${query} WHERE organization_id = $1 LIMIT 1`, [
      DEMO_ORGANIZATION,
    ]);
    if (rows[0] !== undefined) REAL[name] = rows[0].id;
  }
  await client.end();
}

/** What an answer says, without what is its own: ids and times of the request, and the time it took. */
const said = ({ status, text }: WireAnswer): string =>
  `${status} ${text.replace(/(?:req|trc|err)_[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"hub":[0-9.]+/g, '…')}`;

/** Nothing that only the demo group has. */
function expectNothingForeign(answer: WireAnswer): void {
  for (const word of ['Harbor', DEMO_ORGANIZATION, REAL['vin'] ?? 'no vin', REAL['vehicle_id'] ?? 'no vehicle'])
    expect(answer.text).not.toContain(word);
}

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
  readonly required?: readonly string[];
}

/** Every argument of every operation that names something. */
const ATTACKS = readOperations().flatMap(({ name, inputSchema }) =>
  Object.entries((inputSchema as Schema).properties ?? {})
    .filter(([argument]) => /_ids?$|^vin$|^stock_number$/.test(argument) && argument !== 'trace_id')
    .map(([argument, { type }]) => ({ tool: name, argument, type, required: (inputSchema as Schema).required ?? [] })),
);

describe('An argument of a tool that names something of another organization', () => {
  it('is attacked in every tool that takes one', () => {
    expect(ATTACKS.length).toBeGreaterThan(12);
    for (const { argument } of ATTACKS) expect(Object.keys(ABSENT)).toContain(argument.replace(/_ids$/, '_id'));
  });

  const own = (required: readonly string[]): Record<string, unknown> => {
    const known: Record<string, unknown> = {
      organization_id: ASKER,
      rooftop_id: OWN_STORE,
      vehicle_id: ABSENT['vehicle_id'],
    };
    return {
      ...Object.fromEntries(required.map((name) => [name, known[name] ?? ABSENT[name]])),
      organization_id: ASKER,
    };
  };

  it.each(ATTACKS)('is answered like one that does not exist: $argument of $tool', async (attack) => {
    const { tool, argument, type, required } = attack;
    const id = argument.replace(/_ids$/, '_id');
    const ask = (value: string | undefined, bearer: string | null): Promise<WireAnswer> => {
      const args = { ...own(required), [argument]: type === 'array' ? [value] : value };
      return callTool(`${service.origin}/organizations/${ASKER}/mcp`, tool, args, { authorization: bearer });
    };
    expect(REAL[id], `an id of the demo group for ${id}`).toBeDefined();
    for (const bearer of [null, agent]) {
      const answer = await ask(REAL[id], bearer);
      expect(said(answer)).toBe(said(await ask(ABSENT[id], bearer)));
      if (id !== 'policy_id') expectNothingForeign(answer);
    }
  });

  it('is refused to an agent at the endpoint of the other one, whether or not there is one', async () => {
    const at = (organizationId: string): Promise<WireAnswer> =>
      callTool(
        `${service.origin}/organizations/${organizationId}/mcp`,
        'dealeragent.dealer.get',
        {},
        { authorization: agent },
      );
    const answer = await at(DEMO_ORGANIZATION);
    expect(said(answer)).toBe(said(await at('org.absent')));
    expect(answer.text).not.toContain('Harbor');
  });
});

describe('A parameter of the admin API that names something of another organization', () => {
  const withParameters = (): readonly ApiRoute[] => routes.filter((r) => / \/admin\/.*:/.test(r.route));
  /** Kinds that the demo group has nothing of here: their stores are walked in test/integration/tenant-isolation.spec.ts. */
  const NOTHING_OF = ['agent_client_id', 'trusted_issuer_id', 'approval_id', 'draft_id', 'version'];

  it('is answered like one that does not exist, in every route, to read and to write', async () => {
    expect(withParameters().length).toBeGreaterThan(30);
    for (const { route } of withParameters()) {
      const [method = '', path = ''] = route.split(' ');
      const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      for (const name of parameters)
        expect([...Object.keys(REAL), ...NOTHING_OF], `an id of the demo group for ${name}`).toContain(name);
      const filled = (ids: Readonly<Record<string, string>>): string =>
        path
          .replace('/admin/v1/', '')
          .replace(/:(\w+)/g, (_, name: string) => ids[name] ?? (name === 'version' ? '1' : (ABSENT[name] ?? name)));
      const ask = (ids: Readonly<Record<string, string>>): Promise<WireAnswer> =>
        callAdmin(service, admin, method, filled(ids), method === 'GET' ? undefined : {}, { 'if-match': '"1"' });
      const answer = await ask(REAL);
      expect(said(answer), route).toBe(said(await ask(ABSENT)));
      expect(answer.text, route).not.toContain('Harbor');
    }
  });
});
