import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP, DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { BUILT_IN_POLICY, CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import type { ApiRoute } from '../architecture/api-routes.js';
import { readApiRoutes } from '../architecture/api-routes.js';
import { PageQuery } from '../../src/platform/http/page-query.js';
import { callAdmin } from '../support/admin-client.js';
import { CORE_PROFILES, READ_SCOPES } from '../support/agents.js';
import { ABSENT_IDS, fillDemoGroup, type Ids } from '../support/foreign-ids.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';
import { addPersons, personBearer } from '../support/staff.js';

/** Who asks, an administrator who signed in; the demo group is who is asked about. */
const ASKER = 'org.asker';
const OWN_STORE = 'roof.asker';

let service: TestService;
let routes: readonly ApiRoute[];
let real: Ids;
let admin: string;
/** Persons of the asker, by their role: each route is asked by somebody whom it lets in. */
let persons: Readonly<Record<'admin' | 'compliance' | 'auditor', string>>;
let owner: string;
let ownGrant: string;
let ownClient: string;
let ownHold: string;

beforeAll(async () => {
  service = await startTestService();
  routes = await readApiRoutes();
  const store = DEMO_GROUP.rooftops[0]!;
  await service.parts.get(CreateDealerGroup).run({
    ...{ organizationId: ASKER, name: 'Asker', legalName: null, website: null },
    rooftops: [{ ...store, rooftopId: OWN_STORE, name: 'Asker Store' }],
  });
  const ids = await addPersons(service, ASKER);
  persons = {
    admin: await personBearer(service, ids.admin),
    compliance: await personBearer(service, ids.compliance),
    auditor: await personBearer(service, ids.auditor),
  };
  admin = persons.admin;
  owner = `Bearer ${await service.adminToken()}`;
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await callAdmin(service, admin, 'POST', path, body);
    expect(answer.status, answer.text).toBe(201);
    return answer.json.data as Record<string, string>;
  };
  ownGrant = (await create('grants', grantOf({})))['grant_id'] ?? '';
  const client = { issuer: `${service.origin}/oauth`, client_id: 'own', name: 'Own', grant_id: ownGrant };
  ownClient = (await create('agent-clients', client))['agent_client_id'] ?? '';
  const held = { matter: 'Roe', reason: 'claim', categories: ['lead'] };
  const placed = await callAdmin(service, persons.compliance, 'POST', 'holds', held);
  expect(placed.status, placed.text).toBe(201);
  ownHold = placed.json.data.hold_id as string;
  real = await fillDemoGroup(service);
});
afterAll(() => service.stop());

const grantOf = (more: object): object => ({
  ...{ subject: 'agent:asker', rooftop_ids: [OWN_STORE], profiles: CORE_PROFILES, scopes: READ_SCOPES },
  ...{ purposes: ['vehicle_shopping'], expires_at: '2099-01-01T00:00:00Z', ...more },
});
const policyOf = (rooftops: object): object => ({ document: { ...BUILT_IN_POLICY, rooftops }, reason: 'Test' });
const DELEGATION = { grantee: 'agent:x', covers: 'listed', scopes: READ_SCOPES, expires_at: '2099-01-01T00:00:00Z' };

/** Bodies that are right in themselves, so that a change gets as far as looking for what its address names. */
const BODIES: Readonly<Record<string, () => unknown>> = {
  'POST approvals/:approval_id/approve': () => ({ content_hash: 'a'.repeat(64) }),
  'POST approvals/:approval_id/deny': () => ({ reason: 'Test' }),
  'POST rooftops/:rooftop_id/vehicles/:vehicle_id/discrepancy-reviews': () => ({
    ...{ field: 'accident_status', content_hash: 'a'.repeat(64), status: 'dealer_reviewed', reason: 'Test' },
  }),
  'PUT agent-clients/:agent_client_id/grant': () => ({ grant_id: ownGrant }),
  'POST grants/:grant_id/versions': () => grantOf({}),
  'PATCH keys/:key_id': () => ({ name: 'Test' }),
  'PATCH organizations/:organization_id': () => ({ name: 'Test' }),
  'PUT policies/drafts/:draft_id': () => policyOf({}),
  'PUT retention/policies/drafts/:retention_draft_id': () => ({
    ...{ policy_id: 'retention.x', name: 'Test', document: { rules: [], rooftops: [] }, reason: 'Test' },
  }),
  'POST policies/versions/:version/republish': () => ({ reason: 'Test' }),
  'PATCH rooftops/:rooftop_id': () => ({ name: 'Test' }),
  'PUT rooftops/:rooftop_id/settings': () => ({ settings: {}, reason: 'Test' }),
  'PATCH staff/:person_id': () => ({ name: 'Test' }),
  'POST privacy-requests/:request_id/verify': () => ({ reference: 'PROOF-1' }),
  'POST privacy-requests/:request_id/extend': () => ({ reason: 'complexity', notice_reference: 'LETTER-1' }),
  'POST privacy-requests/:request_id/refuse': () => ({ reason: 'withdrawn' }),
  'POST holds/:hold_id/notices': () => ({ person_ids: ['staff.absent'], message: 'Test' }),
  'POST holds/:hold_id/release': () => ({ reason: 'Test' }),
  'POST audit/streams/:stream_id/replays': () => ({ from_seq: 0, to_seq: 1 }),
  'PATCH feeds/:feed_id': () => ({ name: 'Test' }),
  'POST feeds/:feed_id/files': () => 'stock,vin\n1,2\n',
};

/** An offer that nobody accepted yet. */
const newMoveId = (): string => `move.${randomBytes(13).toString('hex').toUpperCase()}`;

/** What an answer says, without what is its own: ids and times of the request, the time it took, and what it was asked. */
const said = ({ status, text }: WireAnswer, asked = '…'): string =>
  `${status} ${text
    .replaceAll(asked, '…')
    .replace(
      /(?:req|trc|err|move|export|hold)[_.][0-9A-Za-z]{26}|evt-[0-9a-f-]+|\d{4}-\d\d-\d\dT[0-9:.]+Z|"hub":[0-9.]+/g,
      '…',
    )}`;

describe('A parameter of the admin API that names something of another organization', () => {
  const parametersOf = (path: string): readonly string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

  it('is answered like one that does not exist, in every route, to read and to write', async () => {
    const named = routes.filter((r) => / \/admin\/.*:/.test(r.route));
    expect(named.length).toBeGreaterThan(30);
    for (const { route, access } of named) {
      const roles = access?.kind === 'key' ? access.roles : [];
      const asker = persons[(['admin', 'compliance', 'auditor'] as const).find((r) => roles.includes(r)) ?? 'admin'];
      const [method = '', whole = ''] = route.split(' ');
      const path = whole.replace('/admin/v1/', '');
      for (const name of parametersOf(path)) expect(Object.keys(real), `an id for ${name} of ${route}`).toContain(name);
      const body = method === 'GET' ? undefined : (BODIES[`${method} ${path}`]?.() ?? {});
      const ask = (ids: Ids): Promise<WireAnswer> => {
        const filled = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? name);
        return callAdmin(service, asker, method, filled, body, { 'if-match': '"1"' });
      };
      const answer = await ask(real);
      expect(said(answer), route).toBe(said(await ask(ABSENT_IDS)));
      expect(answer.text, route).not.toContain('Harbor');
      if (method === 'GET') continue;
      // Operators' routes are closed before; every other change was refused because there is no such thing.
      const { code, details } = answer.json.error as { code: string; details?: { reason?: string } };
      const platform = routes.find((r) => r.route === route)?.access;
      const closed = platform?.kind === 'key' && platform.of === 'platform';
      expect({ route, code, reason: details?.reason }).toEqual(
        closed
          ? { route, code: 'forbidden_role', reason: undefined }
          : { route, code: 'invalid_input', reason: 'not_found' },
      );
    }
  });
});

/** Every member of a body that names something: a request with it, by what is put there. */
const IN_BODIES: readonly {
  readonly what: string;
  readonly id: string;
  readonly method?: string;
  readonly path: () => string;
  readonly body: (id: string) => object;
  readonly as?: 'auditor' | 'compliance';
}[] = [
  ...(['resource_id', 'rooftop_id', 'trace_id'] as const).map((id) => ({
    what: `${id} of an export`,
    id,
    path: () => 'audit/exports',
    body: (value: string) => ({ format: 'csv', filter: { [id]: value } }),
    as: 'auditor' as const,
  })),
  {
    what: 'rooftop_ids of a grant',
    id: 'rooftop_id',
    path: () => 'grants',
    body: (id) => grantOf({ rooftop_ids: [id] }),
  },
  {
    what: 'rooftop_ids of a new version',
    id: 'rooftop_id',
    path: () => `grants/${ownGrant}/versions`,
    body: (id) => grantOf({ rooftop_ids: [OWN_STORE, id] }),
  },
  {
    what: 'delegation_id of a grant',
    id: 'delegation_id',
    path: () => 'grants',
    body: (id) => ({ ...grantOf({ subject: 'agent:x' }), rooftop_ids: undefined, delegation_id: id }),
  },
  {
    what: 'rooftop_ids of a delegation',
    id: 'rooftop_id',
    path: () => 'group-delegations',
    body: (id) => ({ ...DELEGATION, rooftop_ids: [id] }),
  },
  {
    what: 'grant_id of a key',
    id: 'grant_id',
    path: () => 'keys',
    body: (id) => ({ name: 'Test', role: 'app', grant_id: id }),
  },
  {
    what: 'grant_id of a client',
    id: 'grant_id',
    path: () => 'agent-clients',
    body: (id) => ({ issuer: `${service.origin}/oauth`, client_id: 'other', name: 'Test', grant_id: id }),
  },
  {
    what: 'grant_id that a client is to carry',
    id: 'grant_id',
    method: 'PUT',
    path: () => `agent-clients/${ownClient}/grant`,
    body: (id) => ({ grant_id: id }),
  },
  {
    what: 'rooftop_id of a feed',
    id: 'rooftop_id',
    path: () => 'feeds',
    body: (id) => ({ feed_id: 'feed.x', name: 'Test', rooftops: { rooftop_id: id } }),
  },
  {
    what: 'rooftop_id of a unit event',
    id: 'rooftop_id',
    path: () => 'unit-events',
    body: (id) => ({
      event_id: `evt-${randomUUID()}`,
      rooftop_id: id,
      vin: real['vin'],
      kind: 'sold',
      source_time: new Date().toISOString(),
    }),
  },
  {
    what: 'rooftop_id of an offer',
    id: 'rooftop_id',
    path: () => 'rooftop-moves',
    body: (id) => ({ rooftop_id: id, to_organization_id: 'org.x' }),
  },
  {
    what: 'to_organization_id of an offer',
    id: 'organization_id',
    path: () => 'rooftop-moves',
    body: (id) => ({ rooftop_id: OWN_STORE, to_organization_id: id }),
  },
  {
    what: 'from_organization_id of an acceptance',
    id: 'organization_id',
    path: () => 'rooftop-moves/acceptances',
    body: (id) => ({ move_id: newMoveId(), rooftop_id: 'roof.absent', from_organization_id: id }),
  },
  {
    what: 'move_id of an acceptance',
    id: 'move_id',
    path: () => 'rooftop-moves/acceptances',
    body: (id) => ({ move_id: id, rooftop_id: 'roof.absent', from_organization_id: 'org.x' }),
  },
  {
    what: 'rooftop_id of an acceptance',
    id: 'rooftop_id',
    path: () => 'rooftop-moves/acceptances',
    body: (id) => ({ move_id: newMoveId(), rooftop_id: id, from_organization_id: 'org.x' }),
  },
  {
    what: 'rooftops of a policy',
    id: 'rooftop_id',
    path: () => 'policies/drafts',
    body: (id) => policyOf({ [id]: { public_profiles: [] } }),
  },
  {
    what: 'record_ids of a hold',
    id: 'run_id',
    path: () => 'holds',
    body: (id) => ({ matter: 'Roe', reason: 'claim', record_ids: [id] }),
    as: 'compliance',
  },
  {
    what: 'person_ids of a notice',
    id: 'person_id',
    path: () => `holds/${ownHold}/notices`,
    body: (id) => ({ person_ids: [id], message: 'Keep what Roe sent.' }),
    as: 'compliance',
  },
  {
    what: 'person_id of a target of notices',
    id: 'person_id',
    path: () => 'hold-notice-targets',
    body: (id) => ({ kind: 'webhook', address: 'https://holds.example/notices', person_id: id }),
    as: 'compliance',
  },
];

describe('A member of a body that names something of another organization', () => {
  it('is attacked wherever the description of the API has one', async () => {
    const { json } = await callAdmin(service, admin, 'GET', 'openapi.json');
    const schemas = json.components.schemas as Record<string, { readonly properties?: object }>;
    const bodies = Object.entries(schemas).filter(([name]) => name.endsWith('Dto'));
    const naming = bodies.flatMap(([, { properties = {} }]) => Object.keys(properties).filter((m) => /_ids?$/.test(m)));
    const attacked = IN_BODIES.map(({ what }) => what.split(' ')[0]);
    // Names that the caller makes up, or that belong to somebody else's register.
    const made = [
      'feed_id',
      'event_id',
      'client_id',
      'organization_id',
      'introspection_client_id',
      'policy_id',
      'profile_id',
      'subject_id', // of a privacy request: written down as it came, and looked for in the own organization alone
    ];
    expect(naming.filter((member) => !attacked.includes(member) && !made.includes(member))).toEqual([]);
    expect(naming.length).toBeGreaterThan(8);
  });

  it.each(IN_BODIES)(
    'is answered like one that does not exist: $what',
    async ({ id, method, path, body, as = 'admin' as const }) => {
      const ask = (value: string): Promise<WireAnswer> =>
        callAdmin(service, persons[as], method ?? 'POST', path(), body(value), {
          'if-match': '"1"',
        });
      const [foreign, absent] = [real[id] ?? '', ABSENT_IDS[id] ?? ''];
      expect(foreign).not.toBe('');
      const answer = await ask(foreign);
      expect(said(answer, foreign)).toBe(said(await ask(absent), absent));
      expect(answer.text).not.toContain('Harbor');
    },
  );
});

describe('A cursor of another organization', () => {
  it('is refused like a made-up one, by every list', async () => {
    const lists = routes.filter(
      ({ route, query }) =>
        /^GET \/admin\/v1\/[^:]*$/.test(route) && (query === PageQuery || query?.prototype instanceof PageQuery),
    );
    const tried: string[] = [];
    for (const { route } of lists) {
      const path = route.slice('GET /admin/v1/'.length);
      const page = await callAdmin(service, owner, 'GET', `${path}?limit=1`);
      const cursor = page.status === 200 ? (page.json.data.next_cursor as string | null) : null;
      if (cursor === null) continue;
      tried.push(path);
      const answer = await callAdmin(service, admin, 'GET', `${path}?limit=1&cursor=${cursor}`);
      expect(answer, `${path}: ${answer.text}`).toMatchObject({
        status: 400,
        json: { error: { details: { violations: [{ pointer: '/cursor', keyword: 'cursor' }] } } },
      });
      const made = await callAdmin(service, admin, 'GET', `${path}?limit=1&cursor=${'A'.repeat(cursor.length)}`);
      expect(said(answer)).toBe(said(made));
    }
    expect(tried).toEqual(
      expect.arrayContaining(['agent-clients', 'approvals', 'audit/records', 'feeds', 'grants', 'group-delegations']),
    );
    expect(tried).toEqual(
      expect.arrayContaining(['keys', 'policies/drafts', 'rooftop-moves', 'rooftops', 'staff', 'trusted-issuers']),
    );
  });

  it('was made in the demo group, which goes on with it', async () => {
    const { next_cursor: cursor } = (await callAdmin(service, owner, 'GET', 'grants?limit=1')).json.data as Record<
      string,
      string
    >;
    const next = await callAdmin(service, owner, 'GET', `grants?limit=1&cursor=${cursor ?? ''}`);
    expect(next.status).toBe(200);
    expect(DEMO_ORGANIZATION).not.toBe(ASKER);
  });
});
