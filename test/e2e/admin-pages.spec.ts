import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_GROUP } from '../../src/demo/demo-group.js';
import { CreateDealerGroup } from '../../src/modules/tenancy/index.js';
import { callAdmin, createKey } from '../support/admin-client.js';
import type { WireAnswer } from '../support/mcp-http.js';
import type { TestService } from '../support/service.js';
import { startTestService } from '../support/service.js';

const OTHER = 'org.other-pages';
const ROOFTOP = DEMO_GROUP.rooftops[0]!.rooftopId;

let service: TestService;
let admin: pg.Client;
let staff: string;

beforeAll(async () => {
  service = await startTestService({ demo: false });
  staff = `Bearer ${await service.adminToken()}`;
  admin = new pg.Client({ connectionString: service.database.adminUrl, options: '-c search_path=forecourt' });
  await admin.connect();
  await service.parts.get(CreateDealerGroup).run({ ...DEMO_GROUP, organizationId: OTHER, name: 'Other Group' });
});
afterAll(async () => {
  await admin.end();
  await service.stop();
});

const get = (path: string, as = staff): Promise<WireAnswer> => callAdmin(service, as, 'GET', path);
let number = 0;
const addFeed = async (): Promise<string> => {
  const id = `feed.${String((number = (number * 7919 + 104_729) % 1_000_003)).padStart(7, '0')}`;
  const feed = { feed_id: id, name: id, rooftops: { rooftop_id: ROOFTOP } };
  expect((await callAdmin(service, staff, 'POST', 'feeds', feed)).status).toBe(201);
  return id;
};

describe('The pages of a list', () => {
  it('have every entry that was there all along once, whatever is added between them, and no entry twice', async () => {
    const before: string[] = [];
    for (let i = 0; i < 12; i++) before.push(await addFeed());
    const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 2 })), {
      minLength: 30,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(sizes, async (steps) => {
        const seen: string[] = [];
        let cursor: string | null = '';
        for (const [limit, added] of steps) {
          if (cursor === null) break;
          const page: WireAnswer = await get(`feeds?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
          expect(page.status).toBe(200);
          const feeds = page.json.data.feeds as { feed_id: string }[];
          expect(feeds.length).toBeLessThanOrEqual(limit);
          seen.push(...feeds.map((feed) => feed.feed_id));
          cursor = page.json.data.next_cursor as string | null;
          for (let i = 0; i < added && seen.length < 6; i++) await addFeed();
        }
        expect(seen).toEqual([...new Set(seen)].toSorted());
        if (cursor === null) for (const id of before) expect(seen).toContain(id);
      }),
      { numRuns: 5 },
    );
  });

  it('end with the last entry, also when it fills its page', async () => {
    const total = (
      await admin.query<{ n: number }>('SELECT count(*)::integer AS n FROM feeds WHERE organization_id = $1', [
        service.organizationId,
      ])
    ).rows[0]!.n;
    const whole = await get(`feeds?limit=${Math.min(100, total)}`);
    if (total <= 100) expect(whole.json.data).toMatchObject({ next_cursor: null });
    expect(whole.json.data).not.toHaveProperty('next_after');
  });

  it.each([
    'grants',
    'group-delegations',
    'feeds',
    'keys',
    'agent-clients',
    'trusted-issuers',
    'policies/versions',
    'policies/drafts',
    'retention/policies/versions',
    'retention/policies/drafts',
    'staff',
    'rooftop-moves',
    'rooftops',
    `rooftops/${ROOFTOP}/settings/versions`,
    'inventory/withheld',
    'audit/records',
    'approvals',
  ])('are asked for and answered alike: %s', async (path) => {
    const page = await get(`${path}?limit=1`);
    expect(page.status).toBe(200);
    expect(page.json.data).toHaveProperty('next_cursor');
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=x',
      'cursor=x',
      'cursor=',
      'cursor=a&cursor=b',
      'after=x',
      'before=1',
      'other=1',
    ])
      expect({ query, status: (await get(`${path}?${query}`)).status }).toEqual({ query, status: 400 });
  });
});

describe('A cursor', () => {
  it('holds for the list, its conditions and the organization that it was issued for', async () => {
    for (let i = 0; i < 3; i++) await addFeed();
    const { next_cursor: cursor } = (await get('feeds?limit=1')).json.data as { next_cursor: string };
    expect((await get(`feeds?limit=50&cursor=${cursor}`)).status).toBe(200);
    const other = `Bearer ${await createKey(service, OTHER, 'admin')}`;
    for (const answer of [
      await get(`keys?cursor=${cursor}`),
      await get(`audit/records?operation=feeds.list&cursor=${cursor}`),
      await get(`feeds?cursor=${cursor}`, other),
      await get(`feeds?cursor=${cursor.slice(0, -2)}AA`),
    ])
      expect(answer).toMatchObject({
        status: 400,
        json: {
          error: { code: 'invalid_input', details: { violations: [{ pointer: '/cursor', keyword: 'cursor' }] } },
        },
      });
  });
});
