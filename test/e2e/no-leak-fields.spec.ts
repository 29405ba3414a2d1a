import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classAt, leavesOf } from '../../src/operations/classified-output.js';
import { DATA_CLASSES } from '../../src/operations/data-classes.js';
import { OperationCatalog } from '../../src/operations/catalog.js';
import { TOOL } from '../conformance/dap/checks.js';
import { csv, DapWorld, ORGANIZATION } from '../support/dap-world.js';
import { vinOf } from '../support/feed-csv.js';
import { postModern, send } from '../support/mcp-http.js';
import { FULL_ADJUSTMENTS, fullRow, JSON_CELLS, RICH, TWIN } from '../support/full-inventory.js';

/** The telephone of the owner, which a dealer keeps in the same list as the public ones. */
const PRIVATE_CONTACT = '+13055550199';
/** Names under which systems of dealers keep what must stay in the house, also deep inside what they export. */
const SECRET_NAMES = [
  'cost',
  'dealer_cost',
  'invoice',
  'wholesale_price',
  'labor_cost',
  'technician_notes',
  'buyer_name',
];
const FATES = {
  no_price: { advertised_price_minor: '' },
  broken: { year: 'x' },
  sold: { availability_status: 'unavailable' },
};

/** Fields that nothing fills, or nothing here, and why. Every other field must be seen, or the property would not be about it. */
const NEVER_FILLED: readonly (readonly [RegExp, string])[] = [
  [
    /\/(?:source_uri|transformations\/\*|transformed_at)$/,
    'Sources are named and never linked; what is done to a fact is policy.',
  ],
  [/\/sources\/\*\/(?:content_digest|source_record_id)$/, 'Only the row of a file has them.'],
  [/\/extensions\/\*$/, 'There is one extension, and it is of vehicles.'],
  [/\/advertised_price\/(?:label|valid_from|valid_until)$/, 'No feed has words or a period for its price.'],
  [/\/government_charges\/(?!status)/, 'No authority calculates charges for this gateway (decision record 0020).'],
  [/\/uncertainty\/assumptions\/\*$/, 'Nothing is assumed where nothing is estimated.'],
  [/\/availability\/reason$/, 'It is of statuses that nobody knows.'],
  [/\/(?:media\/\*\/caption|powertrain\/\w+)$/, 'The protocol’s own CSV has no column for it.'],
  [/history_reports\/\*\/summary$/, 'The branch of the schema that has none.'],
  [
    /^dealeragent\.dealer\.get \/(?:freshness|rooftops\/\*\/legal_name)/,
    'A group has no age and its rooftops have no names of their own.',
  ],
  [/^dealeragent\.discovery\.get_manifest \/operator\/uri$/, 'No page of the operator is set.'],
  [
    /^dealeragent\.policy\.get \/(?:retention_policy|dealer_policy)\//,
    'No policy was published over the built-in one.',
  ],
];

const value = fc.oneof(
  fc.integer({ min: 31_000_000, max: 31_999_999 }).map(String),
  fc.stringMatching(/^zq[a-z]{8,14}$/),
);
const planted = fc.record({
  /** A member in some object of some JSON cell of some unit. */
  members: fc.array(
    fc.record({
      unit: fc.nat(2),
      column: fc.constantFrom(...JSON_CELLS),
      node: fc.nat(30),
      name: fc.constantFrom(...SECRET_NAMES),
      value,
      nested: fc.boolean(),
    }),
    { minLength: 4, maxLength: 12 },
  ),
  columns: fc.uniqueArray(fc.record({ name: fc.constantFrom(...SECRET_NAMES), value }), {
    selector: ({ name }) => name,
    minLength: 1,
    maxLength: 4,
  }),
  /** Words of units that may not be seen, in cells that are public in others. */
  hidden: fc.array(
    fc.record({ fate: fc.constantFrom(...(Object.keys(FATES) as (keyof typeof FATES)[])), word: value }),
    { maxLength: 3 },
  ),
  /** In a link with a credential, and in a summary that its provider lets nobody share. */
  credential: value,
  unshared: fc.integer({ min: 31_000, max: 31_999 }),
});
type Planted = typeof planted extends fc.Arbitrary<infer T> ? T : never;
type Row = Record<string, string>;

/** Every object below a value, itself included. */
function objectsIn(node: unknown): Record<string, unknown>[] {
  if (typeof node !== 'object' || node === null) return [];
  const below = Object.values(node).flatMap(objectsIn);
  return Array.isArray(node) ? below : [node as Record<string, unknown>, ...below];
}

function fileWith(secrets: Planted): string {
  const rows = [1, 2, 3].map((number) => fullRow(number, secrets)) as [Row, Row, Row];
  for (const { unit, column, node, name, value: secret, nested } of secrets.members) {
    const row = rows[unit as 0 | 1 | 2];
    const cell = JSON.parse(row[column] ?? '[]') as unknown;
    const objects = objectsIn(cell);
    const chosen = objects[node % Math.max(objects.length, 1)];
    if (chosen === undefined || Object.hasOwn(chosen, name)) continue;
    chosen[name] = nested ? [{ amount: secret }] : secret;
    row[column] = JSON.stringify(cell);
  }
  const unseen = secrets.hidden.map(({ fate, word }, index) => ({
    ...fullRow(7 + index, secrets),
    ...{ stock_number: word, trim: word, features_json: JSON.stringify([word]) },
    ...FATES[fate],
  }));
  const flat = Object.fromEntries(secrets.columns.map(({ name, value: secret }) => [name, secret]));
  return csv([...rows, ...unseen].map((row) => ({ ...row, ...flat })));
}

let world: DapWorld;
let agent: string;
beforeAll(async () => {
  world = await DapWorld.open([RICH, TWIN], {
    rules: FULL_ADJUSTMENTS,
    rooftop: {
      contacts: [
        { department: 'sales', channel: 'phone', value: '+13055550100', public: true },
        { department: 'general', channel: 'phone', value: PRIVATE_CONTACT, public: false },
      ],
    },
  });
  const scopes = ['dealeragent:inventory:read', 'dealeragent:pricing:read'];
  agent = await world.agent({ rooftops: [RICH, TWIN], scopes });
  const none: Planted = { members: [], columns: [], hidden: [], credential: 'zqnothing', unshared: 31_000 };
  const profile = 'dealer-agent-inventory-csv/0.1';
  for (const [rooftop, content] of [
    [RICH, fileWith(none)],
    [TWIN, csv([{ ...fullRow(1, none), rooftop_id: TWIN }])],
  ] as const)
    expect(await world.importFile({ id: `feed.${rooftop}`, rooftop, profile, content })).toMatchObject({
      state: 'published',
    });
}, 120_000);
afterAll(() => world.stop());

interface Answered {
  readonly tool: string;
  readonly text: string;
  readonly content: unknown;
}

/** Everything that a caller learns of the group: each tool about each unit, the resources and the public documents. */
async function everything(token: string | undefined): Promise<readonly Answered[]> {
  const organization = { organization_id: ORGANIZATION };
  const answers: Answered[] = [];
  const ask = async (tool: string, args: object): Promise<unknown> => {
    const { http, isError, body } = await world.call(tool, args, token);
    answers.push({ tool, text: http.text, content: isError ? undefined : (body as unknown) });
    return body;
  };
  const { vehicles } = (await ask(TOOL.search, { ...organization, rooftop_ids: [RICH, TWIN], page: { limit: 2 } })) as {
    vehicles: object[];
  };
  expect(vehicles).toHaveLength(2);
  await ask(TOOL.manifest, {});
  await ask(TOOL.dealer, organization);
  for (const number of [1, 2, 3]) {
    const unit = { ...organization, rooftop_id: RICH };
    const found = (await ask(TOOL.vehicle, { ...unit, vin: vinOf(number) })) as { vehicle_id: string };
    expect(found, 'what is published is there').toHaveProperty('vin', vinOf(number));
    const byId = { ...unit, vehicle_id: found.vehicle_id };
    for (const tool of [TOOL.pricing, TOOL.used, TOOL.availability]) await ask(tool, byId);
  }
  const vehicle = vehicles[0] as { vehicle_id: string; rooftop_id: string };
  const group = `dealeragent://organization/${ORGANIZATION}`;
  const policy = `${group}/policy/forecourt.published-retail`;
  for (const uri of [group, policy, `${group}/rooftop/${vehicle.rooftop_id}/vehicle/${vehicle.vehicle_id}`]) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { text, json } = await postModern(world.url, 'resources/read', { uri }, headers);
    const tool = uri === policy ? 'dealeragent.policy.get' : uri;
    answers.push({
      tool,
      text,
      content: uri === policy ? JSON.parse(json.result.contents[0].text as string) : undefined,
    });
  }
  const base = world.url.replace(/\/mcp$/, '');
  for (const path of ['policy', 'inventory.csv', '.well-known/dealer-agent.json'])
    answers.push({ tool: path, text: (await send(`${base}/${path}`, {})).text, content: undefined });
  return answers;
}

/** Places at which values stand. */
function placesOf(content: unknown, at = ''): readonly string[] {
  if (typeof content !== 'object' || content === null) return [at];
  const inside = Array.isArray(content) ? content.map((e) => ['*', e] as const) : Object.entries(content);
  return inside.flatMap(([name, member]) => placesOf(member, `${at}/${name}`));
}

/** The field of the output schema that a place is in; names that are not fixed are `*` there, and extensions hold anything. */
function fieldOf(fields: readonly string[], place: string): string | undefined {
  const parts = place.split('/');
  const fits = (field: string): boolean => {
    const wanted = field.split('/');
    const isWhole = wanted.length === parts.length || (wanted.length < parts.length && wanted.at(-2) === 'extensions');
    return isWhole && wanted.every((part, i) => part === '*' || part === parts[i]);
  };
  return fields.includes(place) ? place : fields.find(fits);
}

describe('Whatever a dealer’s system puts into its export', () => {
  it('leaves by no output field, of whatever class, and protected fields leave under a grant alone', async () => {
    const catalog = world.service.parts.get<OperationCatalog>(OperationCatalog);
    const fields = new Map(catalog.all.map(({ name, outputSchema }) => [name, leavesOf(outputSchema)]));
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(planted, async (secrets) => {
        const content = fileWith(secrets);
        expect(await world.sendFile(`feed.${RICH}`, content)).toMatchObject({ state: 'published' });
        const marks = [
          ...[...secrets.members, ...secrets.columns]
            .map(({ value: secret }) => secret)
            .filter((m) => content.includes(m)),
          ...secrets.hidden.map(({ word }) => word),
          ...[secrets.credential, String(secrets.unshared), PRIVATE_CONTACT],
        ];
        for (const token of [undefined, agent]) {
          const answers = await everything(token);
          for (const { tool, text, content: structured } of answers) {
            expect([tool, marks.filter((mark) => text.includes(mark))]).toEqual([tool, []]);
            const own = fields.get(tool) ?? [];
            for (const place of structured === undefined ? [] : placesOf(structured)) {
              const field = fieldOf(own, place);
              const dataClass = field === undefined ? undefined : classAt(DATA_CLASSES[tool] ?? {}, field);
              expect([
                tool,
                place,
                token === undefined ? dataClass?.startsWith('public_') : dataClass !== undefined,
              ]).toEqual([tool, place, true]);
              seen.add(`${tool} ${field ?? ''}`);
            }
          }
        }
      }),
      { numRuns: 4, seed: 20_261_130, endOnFailure: true },
    );
    const unseen = [...fields].flatMap(([tool, own]) =>
      own.map((field) => `${tool} ${field}`).filter((field) => !seen.has(field)),
    );
    expect(unseen.filter((field) => !NEVER_FILLED.some(([pattern]) => pattern.test(field)))).toEqual([]);
    expect(NEVER_FILLED.filter(([pattern]) => !unseen.some((field) => pattern.test(field)))).toEqual([]);
  }, 240_000);
});
