import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { classAt } from '../../src/operations/classified-output.js';
import { DATA_CLASSES } from '../../src/operations/data-classes.js';
import { carLine, HEADER, range, vinOf } from '../support/feed-csv.js';
import { importFeed, sendFeedFile } from '../support/import-feed.js';
import { callTool, postModern, send } from '../support/mcp-http.js';
import { startTestService, type TestService } from '../support/service.js';

const [ROOFTOP] = DEMO_GROUP.rooftops.map((r) => r.rooftopId) as [string];
const FEED = 'feed.secrets';
const SOUND = range(1, 40);

/** Names under which exports of dealers carry what must stay in the house. */
const SECRET_COLUMNS = [
  'Cost',
  'Dealer Cost',
  'Invoice',
  'Invoice Price',
  'Wholesale',
  'Wholesale Price',
  'Holdback',
  'Pack',
  'Book Value',
  'KBB Wholesale',
  'MMR',
  'Floor Plan Balance',
  'Internal Notes',
  'Buyer Name',
  'Lienholder',
  'Purchased From',
];

interface Planted {
  readonly columns: readonly { readonly header: string; readonly place: number; readonly value: string }[];
  /** Units that must not be published, each for a reason of its own. */
  readonly hidden: readonly { readonly number: number; readonly fate: 'no_price' | 'bad_year' | 'rooftop_unknown' }[];
}

const value = fc.oneof(
  fc.integer({ min: 31_000_000, max: 31_999_999 }).map(String),
  fc.integer({ min: 3_100_000_000, max: 3_199_999_999 }).map((minor) => (minor / 100).toFixed(2)),
  fc.stringMatching(/^zq[a-z]{8,14}$/),
);
const planted: fc.Arbitrary<Planted> = fc.record({
  columns: fc.uniqueArray(
    fc.record({ header: fc.constantFrom(...SECRET_COLUMNS), place: fc.nat(HEADER.split(',').length), value }),
    { selector: (column) => column.header, minLength: 1, maxLength: SECRET_COLUMNS.length },
  ),
  hidden: fc.uniqueArray(
    fc.record({
      number: fc.integer({ min: 700, max: 899 }),
      fate: fc.constantFrom('no_price' as const, 'bad_year' as const, 'rooftop_unknown' as const),
    }),
    { selector: (unit) => unit.number, maxLength: 3 },
  ),
});

function fileWith({ columns, hidden }: Planted): string {
  const lines = [
    ...SOUND.map((number) => carLine(number, { dealer: ROOFTOP })),
    ...hidden.map((unit) =>
      carLine(unit.number, {
        dealer: unit.fate === 'rooftop_unknown' ? 'elsewhere' : ROOFTOP,
        stock: `HIDDEN${unit.number}`,
        ...(unit.fate === 'no_price' ? { price: 'Call' } : {}),
        ...(unit.fate === 'bad_year' ? { year: 'x' } : {}),
      }),
    ),
  ];
  const withColumns = (line: string, of: (column: Planted['columns'][number]) => string): string => {
    const cells = line.split(',');
    for (const column of columns) cells.splice(column.place, 0, of(column));
    return cells.join(',');
  };
  return [withColumns(HEADER, (c) => c.header), ...lines.map((line) => withColumns(line, (c) => c.value))].join('\n');
}

let service: TestService;
let base: string;
let organization: { readonly organization_id: string };

beforeAll(async () => {
  service = await startTestService({ demo: false });
  base = `${service.origin}/organizations/${service.organizationId}`;
  organization = { organization_id: service.organizationId };
  await importFeed(service, FEED, {
    profile: 'vauto',
    content: fileWith({ columns: [], hidden: [] }),
    rooftopIds: [ROOFTOP],
    settings: { odometer_unit: 'mi' },
  });
});
afterAll(() => service.stop());

interface ToolAnswer {
  readonly tool: string;
  readonly text: string;
  readonly content: unknown;
}

/** Everything that an anonymous caller can learn: each tool about each unit, by each selector, documents and resources. */
async function everythingPublic(hidden: Planted['hidden'], words: readonly string[]): Promise<readonly ToolAnswer[]> {
  const mcp = `${base}/mcp`;
  const answers: ToolAnswer[] = [];
  const ask = async (tool: string, input: object): Promise<unknown> => {
    const { text, json } = await callTool(mcp, tool, input);
    const content = (json as { result?: { structuredContent?: unknown; isError?: boolean } }).result;
    answers.push({ tool, text, content: content?.isError === true ? undefined : content?.structuredContent });
    return content?.structuredContent;
  };
  const found = (await ask('dealeragent.inventory.search', {
    ...organization,
    page: { limit: 100 },
  })) as { vehicles: { vehicle_id: string; rooftop_id: string }[] };
  expect(found.vehicles).toHaveLength(SOUND.length);
  for (const { vehicle_id, rooftop_id } of found.vehicles.slice(0, 2))
    for (const tool of Object.keys(DATA_CLASSES)) await ask(tool, { ...organization, rooftop_id, vehicle_id });
  for (const unit of hidden)
    for (const selector of [{ vin: vinOf(unit.number) }, { stock_number: `HIDDEN${unit.number}` }])
      await ask('dealeragent.inventory.get_vehicle', { ...organization, rooftop_id: ROOFTOP, ...selector });
  for (const query of words) {
    const { vehicles } = (await ask('dealeragent.inventory.search', { ...organization, query })) as {
      vehicles: unknown[];
    };
    expect(vehicles, 'a secret finds nothing').toEqual([]);
    answers.pop(); // the query is the caller's own word and is said again nowhere but in what is not kept here
  }
  for (const tool of ['dealeragent.discovery.get_manifest', 'dealeragent.dealer.get']) await ask(tool, organization);
  const uris = found.vehicles.slice(0, 2).map(({ rooftop_id, vehicle_id }) => vehicleUri(rooftop_id, vehicle_id));
  for (const uri of ['dealeragent://manifest', ...uris])
    answers.push({ tool: uri, text: (await postModern(mcp, 'resources/read', { uri })).text, content: undefined });
  for (const path of ['policy', 'inventory.csv', '.well-known/dealer-agent.json'])
    answers.push({ tool: path, text: (await send(`${base}/${path}`, {})).text, content: undefined });
  return answers;
}

const vehicleUri = (rooftop: string, vehicle: string): string =>
  `dealeragent://organization/${service.organizationId}/rooftop/${rooftop}/vehicle/${vehicle}`;

/** Places of the values in an answer, with `*` for elements. */
function placesOf(content: unknown, at = ''): readonly string[] {
  if (Array.isArray(content)) return content.flatMap((element) => placesOf(element, `${at}/*`));
  if (typeof content !== 'object' || content === null) return [at];
  return Object.entries(content).flatMap(([name, member]) => placesOf(member, `${at}/${name}`));
}

/** The class of a place; names that are not fixed are `*` in the table. */
function classOf(tool: string, place: string): string | undefined {
  const classes = DATA_CLASSES[tool] ?? {};
  const parts = place.split('/');
  const anyName = parts.map((_, i) => parts.map((part, j) => (i === j && i > 0 ? '*' : part)).join('/'));
  return [place, ...anyName].map((p) => classAt(classes, p)).find((found) => found !== undefined);
}

describe('Whatever a dealer exports', () => {
  it('nothing of cost columns and unpublished units is in any public answer, and every field there is public', async () => {
    await fc.assert(
      fc.asyncProperty(planted, async (secrets) => {
        const content = fileWith(secrets);
        await sendFeedFile(service, FEED, content);
        const words = secrets.columns.map((column) => column.value);
        const marks = [...words, ...secrets.hidden.flatMap((unit) => [vinOf(unit.number), `HIDDEN${unit.number}`])];
        for (const mark of marks) expect(content, 'the file has what is looked for').toContain(mark);
        const answers = await everythingPublic(secrets.hidden, words);
        const all = answers.map((answer) => answer.text).join('\n');
        expect(all, 'what is published is there').toContain(vinOf(SOUND[0] ?? 0));
        expect(marks.filter((mark) => all.includes(mark))).toEqual([]);
        for (const { tool, content: structured } of answers) {
          const places = structured === undefined ? [] : placesOf(structured);
          expect(places.filter((place) => !classOf(tool, place)?.startsWith('public_'))).toEqual([]);
        }
      }),
      { numRuns: 12, seed: 20_261_130 },
    );
  }, 240_000);
});
