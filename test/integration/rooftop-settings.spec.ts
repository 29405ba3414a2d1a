import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { SystemClock } from '../../src/kernel/time.js';
import { ChannelListener } from '../../src/platform/database/channel-listener.js';
import { openPool } from '../../src/platform/database/connection.js';
import { PrismaUnitOfWork } from '../../src/platform/database/prisma-unit-of-work.js';
import { DEALER_CHANNEL } from '../../src/modules/tenancy/infra/dealer-channel.js';
import { PrismaDealerDirectory } from '../../src/modules/tenancy/infra/prisma-dealer-groups.js';
import { AuditTrail } from '../support/audit-trail.js';
import { createKey } from '../support/admin-client.js';
import { changeSettings } from '../support/change-settings.js';
import type { WireAnswer } from '../support/mcp-http.js';
import { importFeed } from '../support/import-feed.js';
import { callTool, send } from '../support/mcp-http.js';
import { protocolCsv, protocolRow } from '../support/protocol-csv.js';
import { startTestService, type TestService } from '../support/service.js';
import { policiesInForce } from '../support/policies-in-force.js';
import { withRoom } from '../support/with-room.js';

const [FIRST, SECOND] = DEMO_GROUP.rooftops;
const rooftopId = FIRST!.rooftopId;

let service: TestService;
let trail: AuditTrail;
let keys: Record<'admin' | 'compliance' | 'auditor' | 'app', string>;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  trail = await AuditTrail.open(service.database);
  const { organizationId } = service;
  keys = {
    admin: await service.adminToken(),
    compliance: await createKey(service, organizationId, 'compliance'),
    auditor: await createKey(service, organizationId, 'auditor'),
    app: await createKey(service, organizationId, 'app'),
  };
  const stocked = { stocked_at: new Date(Date.now() - 40 * 86_400_000).toISOString() };
  const rows = [1, 2, 3].map((n) => protocolRow(n, rooftopId, stocked));
  await importFeed(service, 'feed.protocol', {
    profile: 'dealer-agent-inventory-csv/0.1',
    content: protocolCsv([...rows, protocolRow(4, SECOND!.rooftopId, { required_dealer_charges_json: '[]' })]),
    rooftopIds: [rooftopId, SECOND!.rooftopId],
  });
});
afterAll(async () => {
  await trail.close();
  await service.stop();
});

async function admin(
  method: string,
  path: string,
  options: { body?: unknown; ifMatch?: string; key?: string } = {},
): Promise<WireAnswer> {
  const { body, ifMatch, key = keys.admin } = options;
  return send(`${service.origin}/admin/v1/rooftops${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Current {
  readonly etag: string;
  readonly version: number;
  readonly settings: Record<string, unknown>;
}

async function current(id = rooftopId): Promise<Current> {
  const answer = await admin('GET', `/${id}/settings`);
  expect(answer.status).toBe(200);
  const { version, settings } = answer.json.data as Omit<Current, 'etag'>;
  return { etag: answer.headers.get('etag') ?? '', version, settings };
}

const change = (members: object): Promise<WireAnswer> => changeSettings(service, rooftopId, members);

/** What the tests look at in a served vehicle. */
interface Served {
  readonly vehicle_id: string;
  readonly freshness: {
    readonly observed_at: string;
    readonly valid_until: string;
    readonly state: string;
    readonly max_age_seconds: number;
  };
  readonly availability: { readonly valid_until: string };
  readonly advertised_price: { readonly includes_required_dealer_charges: boolean };
  readonly used_vehicle?: { readonly inventory_tenure: { readonly age_days: number } };
}

interface ToolAnswer extends Served {
  readonly vehicles: readonly Served[];
  readonly freshness_sla_seconds: Readonly<Record<string, unknown>>;
}

async function tool(name: string, args: object): Promise<ToolAnswer> {
  const url = `${service.origin}/organizations/${service.organizationId}/mcp`;
  const answer = await callTool(url, name, { organization_id: service.organizationId, ...args });
  expect(answer, answer.text.slice(0, 500)).toMatchObject({ status: 200, json: { result: { isError: false } } });
  return answer.json.result.structuredContent as ToolAnswer;
}

describe('Rooftop settings', () => {
  it('lists rooftops, and shows settings under a version that is the ETag', async () => {
    const list = await admin('GET', '');
    expect((list.json.data.rooftops as { rooftop_id: string }[]).map((r) => r.rooftop_id)).toEqual(
      DEMO_GROUP.rooftops.map((r) => r.rooftopId).toSorted(),
    );
    const { etag, version, settings } = await current();
    expect(etag).toBe(`"${version}"`);
    expect(settings).toMatchObject({ required_charges: { status: 'unknown' } });
  });

  it('changes them as a whole, keeps every version, and says who and why', async () => {
    const before = await current();
    const settings = { ...before.settings, required_charges: { status: 'none' } };
    const answer = await admin('PUT', `/${rooftopId}/settings`, {
      ifMatch: before.etag,
      body: { settings, reason: 'No fees since November' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe(`"${before.version + 1}"`);
    expect((await current()).settings).toEqual(settings);
    const versions = await admin('GET', `/${rooftopId}/settings/versions`);
    expect(versions.json.data.versions).toMatchObject([
      { version: before.version + 1, reason: 'No fees since November' },
      { version: before.version, author: 'forecourt' },
    ]);
    const old = await admin('GET', `/${rooftopId}/settings/versions/${before.version}`);
    expect(old.json.data).toMatchObject({ version: before.version, settings: before.settings });
    const [record] = await trail.ofEvent(answer.headers.get('x-request-id'));
    expect(record).toMatchObject({
      operation: 'rooftops.change_settings',
      outcome: 'succeeded',
      rooftop_ids: [rooftopId],
      resource_ids: [`${rooftopId}/settings/${before.version + 1}`],
    });
    expect(record?.actor).toBe(versions.json.data.versions[0].author);
  });

  it.each([
    [undefined, 'precondition_required'],
    ['*', 'precondition_required'],
    ['"99"', 'precondition_failed'],
    ['W/"1"', 'precondition_failed'],
    ['not a tag', 'precondition_failed'],
  ])('refuses a change under If-Match %s', async (ifMatch, reason) => {
    const { settings, version } = await current();
    const answer = await admin('PUT', `/${rooftopId}/settings`, {
      body: { settings, reason: 'Test' },
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', details: { reason } });
    expect((await current()).version).toBe(version);
  });

  it('lets exactly one of many changes of one version in', async () => {
    const { etag, settings, version } = await current();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        admin('PUT', `/${rooftopId}/settings`, { ifMatch: etag, body: { settings, reason: 'Race' } }),
      ),
    );
    expect(answers.filter((a) => a.status === 200)).toHaveLength(1);
    expect((await current()).version).toBe(version + 1);
  });

  it('names every violation at once, by pointer and without a value', async () => {
    const { etag, settings } = await current();
    const answer = await admin('PUT', `/${rooftopId}/settings`, {
      ifMatch: etag,
      body: {
        reason: 'Test',
        settings: {
          ...settings,
          publish_inventory_age: 'planted-value',
          freshness_sla_seconds: { inventory: 0, availability: 1, pricing: 1 },
          conditional_adjustments: [{ adjustment_id: 'a' }],
          surprise: 1,
        },
      },
    });
    expect(answer.status).toBe(400);
    const pointers = (answer.json.error.details.violations as { pointer: string }[]).map((v) => v.pointer);
    expect(pointers).toEqual(
      expect.arrayContaining([
        '/settings/publish_inventory_age',
        '/settings/freshness_sla_seconds/inventory',
        '/settings/conditional_adjustments/0/criteria',
        '/settings/surprise',
      ]),
    );
    expect(answer.text).not.toContain('planted-value');
  });

  it.each([{ settings: {} }, { reason: 'Test' }, { settings: {}, reason: ' ' }, { settings: [], reason: 1 }])(
    'refuses the frame %j',
    async (body) => {
      const answer = await admin('PUT', `/${rooftopId}/settings`, { ifMatch: (await current()).etag, body });
      expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_input' } } });
    },
  );

  it('is written by admins only, read by compliance and auditors, and by nobody else', async () => {
    for (const key of [keys.compliance, keys.auditor]) {
      expect((await admin('GET', `/${rooftopId}/settings`, { key })).status).toBe(200);
      const { etag, settings } = await current();
      const refused = await admin('PUT', `/${rooftopId}/settings`, {
        key,
        ifMatch: etag,
        body: { settings, reason: 'Test' },
      });
      expect(refused).toMatchObject({ status: 403, json: { error: { code: 'forbidden_role' } } });
    }
    expect((await admin('GET', `/${rooftopId}/settings`, { key: keys.app })).status).toBe(403);
  });

  it('knows no other rooftop and no version that never was', async () => {
    const absent = { status: 400, json: { error: { details: { reason: 'not_found' } } } };
    expect(await admin('GET', '/roof.unknown/settings')).toMatchObject(absent);
    expect(await admin('GET', '/roof.unknown/settings/versions')).toMatchObject(absent);
    for (const version of ['0', '999', 'x', '99999999999999999999'])
      expect(await admin('GET', `/${rooftopId}/settings/versions/${version}`)).toMatchObject(absent);
    const put = await admin('PUT', '/roof.unknown/settings', {
      ifMatch: '"1"',
      body: { settings: {}, reason: 'Test' },
    });
    expect(put).toMatchObject(absent);
  });

  it('pages through versions', async () => {
    const { version } = await current();
    const path = `/${rooftopId}/settings/versions?limit=1`;
    const first = await admin('GET', path);
    const second = await admin('GET', `${path}&cursor=${first.json.data.next_cursor as string}`);
    const numbers = [first, second].map((page) => (page.json.data.versions as { version: number }[])[0]?.version);
    expect(numbers).toEqual([version, version - 1]);
  });

  it('reaches the directory of another process by its announcement, before that would look again by itself', async () => {
    const frozen = { now: () => 0 }; // a cache that never grows old by itself
    const pool = openPool({
      url: service.database.appUrl,
      size: 2,
      waitMs: 2000,
      name: 'other',
      onError: () => undefined,
    });
    const unitOfWork = new PrismaUnitOfWork(pool, 2000);
    const [deaf, other] = [
      new PrismaDealerDirectory(unitOfWork, pool, frozen, undefined, policiesInForce()),
      new PrismaDealerDirectory(unitOfWork, pool, frozen, undefined, policiesInForce()),
    ];
    const listening = openPool({
      url: service.database.appUrl,
      size: 1,
      waitMs: 2000,
      name: 'other-listen',
      onError: () => undefined,
    });
    const listener = new ChannelListener(
      listening,
      DEALER_CHANNEL,
      (id) => other.forget(id),
      () => other.forgetAll(),
    );
    listener.start();
    const chargesIn = async (directory: PrismaDealerDirectory): Promise<unknown> =>
      (await directory.find(service.organizationId))?.rooftops.find((r) => r.rooftopId === rooftopId)?.settings
        .required_charges.status;
    try {
      await expect.poll(() => chargesIn(other)).toBe('none');
      expect(await chargesIn(deaf)).toBe('none');
      await new Promise((done) => setTimeout(done, 200)); // both are listening now, and would not read again
      const startedAt = new SystemClock().now();
      await change({ required_charges: { status: 'unknown' } });
      await expect.poll(() => chargesIn(other), { timeout: 20_000, interval: 20 }).toBe('unknown');
      expect(new SystemClock().now() - startedAt).toBeLessThan(withRoom(2000));
      expect(await chargesIn(deaf)).toBe('none');
    } finally {
      await listener.close();
      await unitOfWork.close();
      await pool.end();
    }
  });
});

describe('A change of settings', () => {
  const search = (): Promise<ToolAnswer> =>
    tool('dealeragent.inventory.search', { rooftop_ids: [rooftopId], page: { limit: 1 } });
  const one = async (): Promise<Served> => (await search()).vehicles[0]!;
  const soon = { timeout: 20_000, interval: 100 };

  it('is followed by served vehicles within seconds: service level', async () => {
    const before = await one();
    await change({ freshness_sla_seconds: { inventory: 7200, availability: 120, pricing: 3600 } });
    await expect.poll(async () => (await one()).freshness.max_age_seconds, soon).toBe(7200);
    const after = await one();
    expect(after.vehicle_id).toBe(before.vehicle_id);
    expect(after.freshness.observed_at).toBe(before.freshness.observed_at);
    expect(Date.parse(after.freshness.valid_until) - Date.parse(after.freshness.observed_at)).toBe(7_200_000);
    expect(after.availability.valid_until).toBe(after.freshness.valid_until);
    const detail = await tool('dealeragent.inventory.get_vehicle', {
      rooftop_id: rooftopId,
      vehicle_id: before.vehicle_id,
    });
    expect(detail.freshness).toEqual(after.freshness);
  });

  it('makes nothing fresher: what is older than the new service level is stale, at its old observation time', async () => {
    const { observed_at: observedAt } = (await one()).freshness;
    await new Promise((done) => setTimeout(done, 1100));
    await change({ freshness_sla_seconds: { inventory: 1, availability: 1, pricing: 1 } });
    await expect.poll(async () => (await one()).freshness.state, soon).toBe('stale');
    expect((await one()).freshness.observed_at).toBe(observedAt);
  });

  it('is followed by served vehicles: required charges', async () => {
    const including = async (): Promise<number> => {
      const { vehicles } = await tool('dealeragent.inventory.search', {
        rooftop_ids: [rooftopId],
        page: { limit: 100 },
      });
      return vehicles.filter((v) => v.advertised_price.includes_required_dealer_charges).length;
    };
    expect(await including()).toBe(0);
    await change({ required_charges: { status: 'none' } });
    await expect.poll(including, soon).toBe(3);
    await change({ required_charges: { status: 'unknown' } });
    await expect.poll(including, soon).toBe(0);
  });

  it('is followed by served vehicles: days in stock appear and disappear with the policy', async () => {
    const used = async (): Promise<Served> =>
      (await tool('dealeragent.inventory.search', { rooftop_ids: [rooftopId], filters: { condition: ['used'] } }))
        .vehicles[0]!;
    await change({ publish_inventory_age: false });
    await expect.poll(async () => (await used()).used_vehicle, soon).toBeUndefined();
    await change({ publish_inventory_age: true });
    await expect.poll(async () => (await used()).used_vehicle?.inventory_tenure.age_days, soon).toBeGreaterThan(0);
    await change({ publish_inventory_age: false });
    await expect.poll(async () => (await used()).used_vehicle, soon).toBeUndefined();
  });

  it('leaves feeds, runs, snapshots and other rooftops alone', async () => {
    const inventory = await send(`${service.origin}/admin/v1/inventory`, {
      headers: { authorization: `Bearer ${keys.admin}` },
    });
    expect(inventory.json.data.version).toBe(1);
    const other = await tool('dealeragent.inventory.search', { rooftop_ids: [SECOND!.rooftopId], page: { limit: 1 } });
    expect(other.vehicles[0]?.freshness.max_age_seconds).toBe(86_400);
  });

  it('ends the window of the manifest', async () => {
    const before = await tool('dealeragent.discovery.get_manifest', {});
    expect(await tool('dealeragent.discovery.get_manifest', {})).toEqual(before);
    await change({ freshness_sla_seconds: { inventory: 600, availability: 60, pricing: 600 } });
    await expect
      .poll(async () => (await tool('dealeragent.discovery.get_manifest', {})).freshness_sla_seconds[rooftopId], soon)
      .toEqual({ inventory: 600, availability: 60, pricing: 600 });
  });
});
