import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP, DEMO_ORGANIZATION } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { readOperations } from '../architecture/operation-table.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import { CORE_PROFILES, READ_SCOPES } from '../support/agents.js';
import { ABSENT_IDS, fillDemoGroup, type Ids } from '../support/foreign-ids.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { callTool } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

/** Who asks; the demo group is who is asked about. */
const ASKER = 'org.asker';
const OWN_STORE = 'roof.asker';

let service: TestService;
let real: Ids;
let admin: string;
let agent: string;

beforeAll(async () => {
  service = await startTestService();
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
  real = await fillDemoGroup(service);
});
afterAll(async () => {
  await service.stop();
});

/** What an answer says, without what is its own: ids and times of the request, and the time it took. */
const said = ({ status, text }: WireAnswer): string =>
  `${status} ${text.replace(/(?:req|trc|err)_[0-9A-Z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"hub":[0-9.]+/g, '…')}`;

/** Nothing that only the demo group has. */
function expectNothingForeign(answer: WireAnswer): void {
  for (const word of ['Harbor', DEMO_ORGANIZATION, real['vin'] ?? 'no vin', real['vehicle_id'] ?? 'no vehicle'])
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
    for (const { argument } of ATTACKS) expect(Object.keys(ABSENT_IDS)).toContain(argument.replace(/_ids$/, '_id'));
  });

  const own = (required: readonly string[]): Record<string, unknown> => {
    const known: Record<string, unknown> = {
      organization_id: ASKER,
      rooftop_id: OWN_STORE,
      vehicle_id: ABSENT_IDS['vehicle_id'],
    };
    return {
      ...Object.fromEntries(required.map((name) => [name, known[name] ?? ABSENT_IDS[name]])),
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
    expect(real[id], `an id of the demo group for ${id}`).toBeDefined();
    for (const bearer of [null, agent]) {
      const answer = await ask(real[id], bearer);
      expect(said(answer)).toBe(said(await ask(ABSENT_IDS[id], bearer)));
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
