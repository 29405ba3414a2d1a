import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { INVENTORY_READER, type InventoryReader } from '../../src/modules/inventory/index.js';
import { carLine, csvOf, range, vinOf } from '../support/feed-csv.js';
import { freshKey } from '../support/admin-client.js';
import { startTestService, type TestService } from '../support/service.js';

interface Answer {
  readonly etag?: string | null;
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly error: { readonly code: string; readonly details?: Record<string, unknown> } | null;
}

let service: TestService;
let token: string;
const rooftop = DEMO_GROUP.rooftops[0]!;

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Readable;
  const response = await fetch(`${service.origin}/admin/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(method === 'POST' ? freshKey() : {}),
      ...(body === undefined || raw ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as string, duplex: 'half' }),
  });
  const json = (await response.json()) as Omit<Answer, 'status'>;
  return { status: response.status, data: json.data, error: json.error, etag: response.headers.get('etag') };
}

const upload = (feedId: string, content: string | Readable, type = 'text/csv'): Promise<Answer> =>
  call('POST', `feeds/${feedId}/files?name=lot.csv`, content, { 'content-type': type });

async function settled(runId: unknown): Promise<Record<string, unknown>> {
  await expect
    .poll(async () => (await call('GET', `feed-runs/${String(runId)}`)).data.state, { timeout: 30_000 })
    .not.toMatch(/queued|running/);
  return (await call('GET', `feed-runs/${String(runId)}`)).data;
}

beforeAll(async () => {
  service = await startTestService({ demo: false });
  token = await service.adminToken();
});
afterAll(() => service.stop());

describe('the feed admin API', () => {
  const feed = {
    feed_id: 'feed.lot',
    name: 'Lot',
    profile: 'vauto',
    rooftops: { rooftop_id: rooftop.rooftopId },
    settings: { odometer_unit: 'mi', guards: { bad_row_share: 0.5 } },
  };

  it('configures a feed once and shows it', async () => {
    const created = await call('POST', 'feeds', feed);
    expect(created.status).toBe(201);
    expect(created.data).toMatchObject({
      feed_id: 'feed.lot',
      settings: { currency: rooftop.currency, time_zone: rooftop.timezone, guards: { bad_row_share: 0.5 } },
      source: { kind: 'upload' },
    });
    expect((await call('POST', 'feeds', feed)).status).toBe(400);
    expect((await call('GET', 'feeds/feed.lot')).data).toEqual(created.data);
    expect((await call('GET', 'feeds')).data.feeds).toEqual([created.data]);
  });

  it.each([
    [{ ...feed, feed_id: 'Not An Id' }, '/feed_id'],
    [{ ...feed, feed_id: 'feed.x', rooftops: { rooftop_id: 'roof.unknown' } }, '/rooftops'],
    [{ ...feed, feed_id: 'feed.x', profile: 'no-such-format' }, '/profile'],
    [{ ...feed, feed_id: 'feed.x', source: { kind: 'watch', folder: '../other' } }, '/source/folder'],
    [
      { ...feed, feed_id: 'feed.x', source: { kind: 'pull', url: 'file:///etc/passwd', interval_minutes: 60 } },
      '/source/url',
    ],
    [{ ...feed, feed_id: 'feed.x', settings: { guards: { bad_row_share: 2 } } }, '/settings/guards/bad_row_share'],
    [{ ...feed, feed_id: 'feed.x', organization_id: 'org.other' }, '/organization_id'],
  ])('refuses a feed that cannot be (%#)', async (body, pointer) => {
    const { status, error } = await call('POST', 'feeds', body);
    expect(status).toBe(400);
    expect(JSON.stringify(error)).toContain(pointer);
  });

  it('changes what it is told and nothing else, from the version that was seen', async () => {
    const lot = await call('POST', 'feeds', { ...feed, feed_id: 'feed.changing', name: 'Before' });
    const patch = (body: object, ifMatch?: string): Promise<Answer> =>
      call('PATCH', 'feeds/feed.changing', body, ifMatch === undefined ? {} : { 'if-match': ifMatch });
    expect((await patch({ name: 'After' })).error?.details).toMatchObject({ reason: 'precondition_required' });
    const renamed = await patch({ name: 'After' }, '"1"');
    expect([renamed.status, renamed.etag]).toEqual([200, '"2"']);
    expect(renamed.data).toEqual({ ...lot.data, name: 'After', version: 2 });
    expect((await patch({ name: 'Late' }, '"1"')).error?.details).toMatchObject({ reason: 'precondition_failed' });
    const reread = await patch({ settings: { odometer_unit: 'km' } }, '"2"');
    const { currency, timezone: time_zone } = rooftop;
    expect(reread.data['settings']).toEqual({ currency, time_zone, odometer_unit: 'km' });
    for (const [body, pointer] of [
      [{ profile: 'no-such-format' }, '/profile'],
      [{ source: { kind: 'pull', url: 'file:///etc/passwd', interval_minutes: 60 } }, '/source/url'],
      [{ source: null }, '/source'],
      [{ rooftops: { rooftop_id: rooftop.rooftopId } }, '/rooftops'],
      [{ feed_id: 'feed.other' }, '/feed_id'],
      [{ version: 9 }, '/version'],
    ] as const) {
      const { status, error } = await patch(body, '"3"');
      expect([status, JSON.stringify(error)]).toEqual([400, expect.stringContaining(pointer)]);
    }
    expect((await call('GET', 'feeds/feed.changing')).data).toEqual(reread.data);
  });

  it('takes an upload of a feed type as a stream, imports it, and tells the whole story', async () => {
    const content = csvOf([...range(1, 3000), carLine(4000, { year: 'x' }), carLine(4001, { price: '' })]);
    const { status, data } = await upload('feed.lot', Readable.from(content.match(/[\s\S]{1,50000}/g) ?? []));
    expect(status).toBe(202);
    expect(data).toMatchObject({ outcome: 'queued', bytes: content.length });
    expect(await settled(data.run_id)).toMatchObject({
      state: 'published',
      file: { name: 'lot.csv', sha256: data.sha256 },
      report: { publishable: 3000, quarantined: 1, withheld: 1 },
    });
    const rows = await call('GET', `feed-runs/${String(data.run_id)}/rows?disposition=quarantined`);
    expect(rows.data).toMatchObject({
      rows: [{ line: 3002, column: 'Year', reason: 'year_invalid' }],
      next_cursor: null,
    });
    expect((await call('GET', 'feeds/feed.lot/runs')).data.runs).toHaveLength(1);
    expect((await call('GET', 'inventory')).data).toMatchObject({
      version: 1,
      rooftops: [{ rooftop_id: rooftop.rooftopId, offered: 3000, withheld: 1 }],
    });
    expect((await upload('feed.lot', content)).data).toMatchObject({
      outcome: 'already_published',
      run_id: data.run_id,
    });
  });

  it('pages through rows without losing or repeating one', async () => {
    const { data } = await upload(
      'feed.lot',
      csvOf([...range(1, 3000), ...range(5000, 5024).map((n) => carLine(n, { year: 'x' }))]),
    );
    await settled(data.run_id);
    const lines: unknown[] = [];
    for (let more: string | null = ''; more !== null;) {
      const page: Answer = await call('GET', `feed-runs/${String(data.run_id)}/rows?limit=10${more}`);
      lines.push(...(page.data.rows as { line: number }[]).map((row) => row.line));
      const next = (page.data as { next_cursor: string | null }).next_cursor;
      more = next === null ? null : `&cursor=${next}`;
    }
    expect(lines).toEqual(range(3002, 3026));
  });

  it('holds a short file until it is released, once', async () => {
    const { data } = await upload('feed.lot', csvOf(range(1, 10)));
    expect(await settled(data.run_id)).toMatchObject({ state: 'held', hold_reasons: [`shrink:${rooftop.rooftopId}`] });
    const path = `feed-runs/${String(data.run_id)}`;
    const release = (etag?: string): Promise<Answer> =>
      call('POST', `${path}/release`, undefined, etag === undefined ? {} : { 'if-match': etag });
    const etag = async (): Promise<string> => (await call('GET', path)).etag ?? '';
    const held = await etag();
    for (const [tag, reason] of [
      [undefined, 'precondition_required'],
      ['*', 'precondition_required'],
      ['"1"', 'precondition_failed'],
    ] as const)
      expect(await release(tag)).toMatchObject({ status: 400, error: { details: { reason } } });
    expect(await release(held)).toMatchObject({ status: 200, data: { state: 'published' } });
    expect(await release(held)).toMatchObject({ status: 400, error: { details: { reason: 'precondition_failed' } } });
    expect((await release(await etag())).status).toBe(429);
  });

  it('applies a unit event and names the source of a vehicle', async () => {
    const sourceTime = new Date(Date.now() + 1000).toISOString();
    const event = {
      event_id: 'evt-1',
      rooftop_id: rooftop.rooftopId,
      vin: vinOf(3),
      kind: 'price',
      source_time: sourceTime,
      price: { amount_minor: 1_234_500, currency: rooftop.currency },
    };
    expect((await call('POST', 'unit-events', event)).data).toEqual({ event_id: 'evt-1', effect: 'applied' });
    expect((await call('POST', 'unit-events', { ...event, kind: 'sold', price: undefined })).error).toMatchObject({
      code: 'invalid_input',
      details: { reason: 'idempotency_mismatch' },
    });
    const reader = service.parts.get<InventoryReader>(INVENTORY_READER);
    const inventory = await reader.open(service.organizationId);
    const position = inventory.find(rooftop.rooftopId, { vin: vinOf(3) });
    const { vehicleId } = inventory.unitAt(position as number);
    expect((await call('GET', `vehicles/${vehicleId}/source`)).data).toMatchObject({
      vin: vinOf(3),
      line: 4,
      record: 3,
      columns: { vin: 'VIN', advertisedPrice: 'Price' },
      events: { price_minor: 1_234_500 },
    });
  });

  it.each(['application/pdf', 'multipart/form-data; boundary=x'])('refuses an upload of type %s', async (type) => {
    expect((await upload('feed.lot', 'x', type)).status).toBe(400);
  });

  it('takes a JSON feed unparsed, and lets nobody use the raw type elsewhere', async () => {
    const { status, data } = await upload('feed.lot', '{"not": "closed"', 'application/json');
    expect(status).toBe(202);
    expect(await settled(data.run_id)).toMatchObject({ state: 'held' });
    expect((await call('POST', 'feeds', 'x', { 'content-type': 'application/x-forecourt-feed' })).status).toBe(400);
  });

  it('is closed without an admin key, and knows nothing of other organizations', async () => {
    expect((await call('GET', 'feeds', undefined, { authorization: '' })).status).toBe(401);
    const absent = { status: 400, error: { code: 'invalid_input', details: { reason: 'not_found' } } };
    expect(await upload('feed.unknown', 'x')).toMatchObject(absent);
    expect(await call('GET', 'feed-runs/run.unknown')).toMatchObject(absent);
    expect(await call('GET', `vehicles/veh.${vinOf(1).toLowerCase()}/source`)).toMatchObject(absent);
  });

  it('that is switched off takes no file, and takes them again when it is on', async () => {
    await call('POST', 'feeds', {
      ...feed,
      feed_id: 'feed.off',
      rooftops: { rooftop_id: DEMO_GROUP.rooftops[2]!.rooftopId },
    });
    const off = await call('PATCH', 'feeds/feed.off', { enabled: false }, { 'if-match': '"1"' });
    expect(off.data['enabled']).toBe(false);
    expect((await upload('feed.off', csvOf(range(1, 3)))).status).toBe(400);
    await call('PATCH', 'feeds/feed.off', { enabled: true }, { 'if-match': '"2"' });
    expect((await upload('feed.off', csvOf(range(1, 3)))).status).toBe(202);
  });
});
