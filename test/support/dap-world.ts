import { vi } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import type { NewRooftop, RooftopSettings } from '../../src/modules/tenancy/index.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin, createKey } from './admin-client.js';
import type { DealerSystem, SystemAnswer } from './dealer-system.js';
import { startDealerSystem } from './dealer-system.js';
import { vinOf } from './feed-csv.js';
import type { WireAnswer } from './mcp-http.js';
import { callTool, postModern } from './mcp-http.js';
import type { TestService } from './service.js';
import { startTestService } from './service.js';

export const ORGANIZATION = 'org.example-motors';
export const DOWNTOWN = 'roof.downtown';
export const NORTH = 'roof.north';
export const ALLOWED_ORIGINS = ['https://agents.example', 'https://shop.example'] as const;

const MINUTE = 60_000;
const DAY = 86_400_000;

const CHARGES: RooftopSettings['required_charges'] = {
  status: 'listed',
  charges: [
    {
      name: 'Documentation fee',
      amount: { amount_minor: 99_500, currency: 'USD' },
      payee: 'dealer',
      included_in_advertised_price: true,
    },
  ],
};

/** What a check needs beside the fixture: settings of the service, and of the rooftops that it brings. */
export interface SpecialWorld {
  readonly env?: Readonly<Record<string, string>>;
  /** Of units that the dealer's system knows more of than the fixture; undefined for all others. */
  readonly stateOf?: (stockNumber: string) => SystemAnswer | Promise<SystemAnswer> | undefined;
  readonly rules?: RooftopSettings['conditional_adjustments'];
  /** What else is known of these rooftops. */
  readonly rooftop?: Partial<NewRooftop>;
  /** How long the dealer's system may take. */
  readonly timeoutMs?: number;
}

const settingsWith = (system: DealerSystem, { rules = [], timeoutMs = 2000 }: SpecialWorld): RooftopSettings => ({
  availability_source: {
    name: 'Dealer system of the example',
    url: system.url,
    authoritative: true,
    valid_seconds: 120,
    timeout_ms: timeoutMs,
  },
  freshness_sla_seconds: { inventory: 900, availability: 120, pricing: 3600 },
  required_charges: CHARGES,
  publish_inventory_age: true,
  conditional_adjustments: [
    {
      adjustment_id: 'incentive.military',
      name: 'Military appreciation',
      direction: 'discount',
      amount_status: 'known',
      amount: { amount_minor: 50_000, currency: 'USD' },
      criteria: [{ criterion: 'military', operator: 'verified', value: true, evidence_status: 'required' }],
      jurisdictions: [{ country: 'US' }],
      stacking: { group: 'affinity', combinability: 'rule_defined' },
    },
    ...rules,
  ],
});

const summary = (accidents: boolean): object => ({
  accident_status: accidents ? 'events_reported' : 'no_events_reported',
  accident_event_count: accidents ? 1 : 0,
  damage_status: accidents ? 'damage_reported' : 'no_damage_reported',
  title_brand_status: 'no_brands_reported',
  odometer_consistency: 'consistent',
  owner_count_status: 'known',
  owner_count: 1,
});

const report = (id: string, name: string, accidents: boolean): object => ({
  provider_id: id,
  provider_name: name,
  status: 'available',
  access: 'public_link',
  report_url: `https://history.example/${id}`,
  summary_sharing_authorized: true,
  summary: summary(accidents),
});

export type CsvRow = Readonly<Record<string, string>>;

/** A row of the protocol's own CSV; names that are not given stay empty. */
export const dapRow = (cells: CsvRow): CsvRow => ({
  organization_id: ORGANIZATION,
  rooftop_id: DOWNTOWN,
  year: '2026',
  make: 'Example',
  model: 'Northstar',
  condition: 'new',
  listing_url: 'https://cars.example/unit',
  observed_at: new Date(Date.now() - 2 * MINUTE).toISOString(),
  advertised_price_minor: '4287500',
  currency: 'USD',
  government_charges_status: 'unknown',
  availability_status: 'available',
  ...cells,
});

const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export function csv(rows: readonly CsvRow[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => header.map((name) => quoted(row[name] ?? '')).join(','));
  return `${[header.join(','), ...lines].join('\n')}\n`;
}

/** Three units in the spirit of the reference's demo: fresh and new, stale and used with two histories, other rooftop. */
export const GONE_STOCK = 'GONE';
export const UNREACHABLE_STOCK = 'UNREACHABLE';
export const UNITS = {
  fresh: { vin: vinOf(26_001), stock: 'N26001', price: 4_287_500 },
  stale: { vin: vinOf(24_002), stock: 'U24002', price: 3_199_500 },
  north: { vin: vinOf(26_003), stock: 'N26003', price: 3_975_000 },
} as const;

/** What the dealer's own system says: it saw one unit long ago, one is gone, and it cannot be asked about another. */
function stateOf(stockNumber: string): SystemAnswer {
  if (stockNumber === GONE_STOCK) return { http: 410 };
  if (stockNumber === UNREACHABLE_STOCK) return { http: 503 };
  const seen = Date.now() - (stockNumber === UNITS.stale.stock ? 120 * MINUTE : 5000);
  return { status: 'available', observed_at: new Date(seen).toISOString() };
}

function downtownRows(now: number): CsvRow[] {
  const ago = (ms: number): string => new Date(now - ms).toISOString();
  return [
    dapRow({ vin: UNITS.fresh.vin, stock_number: UNITS.fresh.stock, trim: 'Touring AWD' }),
    dapRow({
      vin: UNITS.stale.vin,
      stock_number: UNITS.stale.stock,
      year: '2024',
      model: 'Harbor',
      condition: 'used',
      advertised_price_minor: String(UNITS.stale.price),
      observed_at: ago(120 * MINUTE),
      availability_status: 'unknown',
      odometer_value: '18420',
      odometer_unit: 'mi',
      stocked_at: ago(47 * DAY + 4 * 60 * MINUTE + 120 * MINUTE),
      first_public_listing_at: ago(45 * DAY + 2 * 60 * MINUTE + 120 * MINUTE),
      certification_type: 'not_certified',
      history_reports_json: JSON.stringify([
        report('com.carfax', 'CARFAX', false),
        report('com.experian.autocheck', 'AutoCheck', true),
      ]),
    }),
  ];
}

export interface ToolReply {
  readonly http: WireAnswer;
  readonly isError: boolean;
  /** The structured content, or the DAP object of the error wherever it is carried. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- checks look into answers of any shape
}

/** A started service with the fixture group in it, and everything that a check may do to it over HTTP. */
export class DapWorld {
  private constructor(
    readonly service: TestService,
    readonly system: DealerSystem,
    private readonly admin: string,
  ) {}

  /** @param more rooftops without inventory, for checks that bring their own files. */
  static async open(more: readonly string[] = [], special: SpecialWorld = {}): Promise<DapWorld> {
    const system = await startDealerSystem((stock) => special.stateOf?.(stock) ?? stateOf(stock));
    const env = {
      ALLOWED_ORIGINS: ALLOWED_ORIGINS.join(','),
      EGRESS_ALLOWED_HOSTS: system.host,
      EGRESS_CA_FILE: system.authority,
      ...special.env,
    };
    const service = await startTestService({ demo: false, env });
    const [first] = DEMO_GROUP.rooftops;
    if (first === undefined) throw new Error('the demo group has no rooftop to start from');
    const rooftops = [DOWNTOWN, NORTH, ...more].map((rooftopId) => ({
      ...first,
      ...(more.includes(rooftopId) ? special.rooftop : {}),
      rooftopId,
      settings: settingsWith(system, more.includes(rooftopId) ? special : {}),
    }));
    const group = { ...DEMO_GROUP, organizationId: ORGANIZATION, name: 'Example Motors Group', rooftops };
    await service.parts.get(CreateDealerGroup).run(group);
    const world = new DapWorld(service, system, `Bearer ${await createKey(service, ORGANIZATION, 'admin')}`);
    const now = Date.now();
    await world.importRows(DOWNTOWN, downtownRows(now));
    const north = { vin: UNITS.north.vin, stock_number: UNITS.north.stock, model: 'Trailwind' };
    await world.importRows(NORTH, [
      dapRow({ ...north, rooftop_id: NORTH, advertised_price_minor: String(UNITS.north.price) }),
    ]);
    return world;
  }

  get url(): string {
    return `${this.service.origin}/organizations/${ORGANIZATION}/mcp`;
  }

  async call(tool: string, args: object, token?: string): Promise<ToolReply> {
    const http = await callTool(this.url, tool, args, token === undefined ? {} : { authorization: `Bearer ${token}` });
    const isError = http.json?.error !== undefined || http.json?.result?.isError === true;
    return { http, isError, body: http.json?.result?.structuredContent ?? http.json?.error?.data };
  }

  /** Names of the listed tools, in the order of the list. */
  async tools(): Promise<readonly string[]> {
    const { json } = await postModern(this.url, 'tools/list');
    return (json.result.tools as { name: string }[]).map((tool) => tool.name);
  }

  adminCall(method: string, path: string, body?: unknown): Promise<WireAnswer> {
    return callAdmin(this.service, this.admin, method, path, body);
  }

  /** A key of an agent under a grant; undefined where the service issues none. */
  async agent(grant: { readonly rooftops: readonly string[]; readonly scopes: readonly string[] }): Promise<string> {
    const { status, json } = await this.adminCall('POST', 'grants', {
      subject: 'operator:reference-demo',
      rooftop_ids: grant.rooftops,
      profiles: [
        'discovery',
        'inventory.read',
        'inventory.availability',
        'pricing.disclosure',
        'used-vehicle.read',
      ].map((profile) => `dealeragent.${profile}/0.1`),
      scopes: grant.scopes,
      purposes: ['vehicle_shopping'],
      expires_at: new Date(Date.now() + DAY).toISOString(),
    });
    if (status !== 201) throw new Error(`the grant was not issued: ${String(status)} ${JSON.stringify(json)}`);
    return (json.data as { key: { token: string } }).key.token;
  }

  /** Configures a feed of its own and brings a file to its end; small files are meant as they are. */
  async importFile(feed: {
    readonly id: string;
    readonly rooftop: string;
    readonly profile: string;
    readonly content: string;
    readonly settings?: object;
  }): Promise<ImportedRun> {
    const settings = { guards: { bad_row_share: 1, shrink_share: 1 }, ...feed.settings };
    const created = await this.adminCall('POST', 'feeds', {
      feed_id: feed.id,
      name: feed.id,
      profile: feed.profile,
      rooftops: { rooftop_id: feed.rooftop },
      settings,
    });
    if (created.status !== 201) throw new Error(`the feed was refused: ${created.text}`);
    return this.sendFile(feed.id, feed.content);
  }

  /** Brings another file of a feed to its end. */
  async sendFile(feedId: string, content: string): Promise<ImportedRun> {
    const received = await this.adminCall('POST', `feeds/${feedId}/files`, content);
    const runId = String(received.json?.data?.run_id);
    const run = async (): Promise<ImportedRun> => {
      const { json } = await this.adminCall('GET', `feed-runs/${runId}`);
      return { runId, ...(json.data as Omit<ImportedRun, 'runId'>) };
    };
    await vi.waitUntil(async () => !/queued|running/.test((await run()).state), { timeout: 30_000, interval: 50 });
    return run();
  }

  /** Rows of a run that were not published, with reasons. */
  async quarantined(runId: string): Promise<readonly { readonly reason: string; readonly column: string | null }[]> {
    const { json } = await this.adminCall('GET', `feed-runs/${runId}/rows?disposition=quarantined`);
    return json.data.rows as { reason: string; column: string | null }[];
  }

  async stop(): Promise<void> {
    await this.service.stop();
    this.system.stop();
  }

  private async importRows(rooftop: string, rows: readonly CsvRow[]): Promise<void> {
    const profile = 'dealer-agent-inventory-csv/0.1';
    const run = await this.importFile({ id: `feed.${rooftop}`, rooftop, profile, content: csv(rows) });
    if (run.state !== 'published') throw new Error(`the fixture was not published: ${JSON.stringify(run)}`);
  }
}

export interface ImportedRun {
  readonly runId: string;
  readonly state: string;
  readonly hold_reasons: readonly string[];
  readonly report: Readonly<Record<string, unknown>> | null;
}
