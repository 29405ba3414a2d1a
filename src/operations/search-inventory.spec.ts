import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../test/support/arbitrary-search.js';
import { anyRow, NOW } from '../../test/support/arbitrary-search.js';
import { assembled } from '../../test/support/assembled-inventory.js';
import type { AgentCaller, Caller } from '../kernel/caller.js';
import { CursorSealer } from '../kernel/cursor/cursor-sealer.js';
import { Failure } from '../kernel/failure/failure.js';
import { LIMITS } from '../kernel/limits.js';
import type { DealerDirectory, DealerGroup, ReachableRooftops } from '../modules/tenancy/index.js';
import type { SearchParts } from './search-inventory.js';
import { searchInventory } from './search-inventory.js';

const rooftop = (rooftopId: string, publish_inventory_age: boolean): unknown => ({
  rooftopId,
  currency: 'USD',
  settings: { publish_inventory_age },
});
const groupWith = (publishing: readonly string[]): DealerGroup =>
  ({
    organizationId: 'org.example',
    rooftops: ['roof.a', 'roof.b', 'roof.c'].map((id) => rooftop(id, publishing.includes(id))),
  }) as unknown as DealerGroup;

const [sample] = fc.sample(anyRow, { numRuns: 1, seed: 1 });
const rowAt = (rooftopId: Row['rooftopId'], number: number): Row => ({
  ...(sample as Row),
  rooftopId,
  vehicleId: `veh.${number}`,
  vin: `1HGCM82633A00000${number}`,
  stockNumber: `S${number}`,
  make: number % 2 === 0 ? 'Honda' : 'Toyota',
  model: 'Accord',
  trim: null,
  year: 2020,
  currency: 'USD',
  observedAt: NOW,
  head: `{"vehicle_id":"veh.${number}","rooftop_id":"${rooftopId}","freshness":{"state":"`,
});
const ROWS = [rowAt('roof.a', 1), rowAt('roof.a', 2), rowAt('roof.b', 3), rowAt('roof.b', 4), rowAt('roof.c', 5)];
const RING = [{ id: 1, secret: new Uint8Array(32).fill(1) }];
const PUBLIC: Caller = { kind: 'anonymous', network: '192.0.2.1' };

interface Asked {
  readonly input?: object;
  readonly caller?: Caller;
  readonly rooftops?: ReachableRooftops;
  readonly now?: number;
}
interface Page {
  readonly vehicles: readonly { vehicle_id: string }[];
  readonly page: { has_more: boolean; next_cursor?: string };
}

async function partsOf(rows: readonly Row[], group = groupWith([]), ring = RING): Promise<SearchParts> {
  const inventory = await assembled(rows);
  const directory = { find: (id: string) => Promise.resolve(id === 'org.example' ? group : undefined) };
  return {
    directory: directory as DealerDirectory,
    reader: { open: () => Promise.resolve(inventory) },
    cursors: new CursorSealer(ring),
  };
}

async function ask(parts: SearchParts, asked: Asked = {}): Promise<Page> {
  const { input = {}, caller = PUBLIC, rooftops = 'all', now = NOW } = asked;
  const call = { organizationId: 'org.example', traceId: 'trace.0001', caller, rooftops, now };
  const answer = await searchInventory(parts).run({ ...call, input: { organization_id: 'org.example', ...input } });
  return JSON.parse(answer.body.plain.toString('utf8')) as Page;
}

async function refusal(parts: SearchParts, asked: Asked): Promise<unknown> {
  const error: unknown = await ask(parts, asked).catch((thrown: unknown) => thrown);
  if (!(error instanceof Failure)) return error;
  return { code: error.code, message: error.message, context: error.context };
}

function agent(subject: string, grantId: string): AgentCaller {
  const grant = { grantId, subject, version: 1, organizationId: 'org.example' };
  return { kind: 'agent', subject, grant, network: '192.0.2.1' } as AgentCaller;
}

describe('A cursor of a search', () => {
  const input = { query: 'accord', filters: { year_min: 2000 }, page: { limit: 1 } };
  const caller = agent('agent:one', 'grant.1');
  const rooftops = ['roof.a', 'roof.b'];
  const REJECTED = {
    code: 'input.cursor_rejected',
    message: 'The cursor is not valid for this request. Start again without a cursor.',
    context: {
      violations: [
        { pointer: '/page/cursor', keyword: 'cursor', explanation: 'the cursor is not valid for this request' },
      ],
    },
  };

  async function issued(): Promise<{ parts: SearchParts; cursor: string; next: Asked }> {
    const parts = await partsOf(ROWS);
    const cursor = (await ask(parts, { input, caller, rooftops })).page.next_cursor ?? '';
    return { parts, cursor, next: { input: { ...input, page: { limit: 1, cursor } }, caller, rooftops } };
  }

  it('leads through every unit once, and may be used again', async () => {
    const { parts, next } = await issued();
    const second = await ask(parts, next);
    expect(second.vehicles.map((v) => v.vehicle_id)).toEqual(['veh.2']);
    expect(await ask(parts, next)).toEqual(second);
    const cursor = second.page.next_cursor;
    const third = await ask(parts, { ...next, input: { ...input, page: { limit: 1, cursor } } });
    expect(third.vehicles.map((v) => v.vehicle_id)).toEqual(['veh.3']);
  });

  it('is refused, always in the same words, when anything that it is bound to has changed', async () => {
    const { parts, cursor, next } = await issued();
    const page = { limit: 1, cursor };
    const changed: Asked[] = [
      { ...next, input: { ...input, query: 'honda', page } },
      { ...next, input: { ...input, filters: { year_min: 2001 }, page } },
      { ...next, input: { ...input, filters: { year_min: 2000, make: ['Honda'] }, page } },
      { ...next, input: { ...input, sort: { field: 'year', order: 'asc' }, page } },
      { ...next, input: { ...input, page: { limit: 2, cursor } } },
      { ...next, input: { ...input, rooftop_ids: ['roof.a'], page } },
      { ...next, caller: agent('agent:two', 'grant.1') },
      { ...next, caller: agent('agent:one', 'grant.2') },
      { ...next, caller: PUBLIC },
      { ...next, caller: { kind: 'system', name: 'agent:one' } },
      { ...next, rooftops: ['roof.a', 'roof.c'] },
      { ...next, rooftops: ['roof.a'] },
      { ...next, rooftops: 'all' },
      { ...next, now: NOW + LIMITS.cursorLifetimeSeconds.value * 1000 + 1 },
      { ...next, now: NOW - 1001 },
    ];
    for (const asked of changed) expect(await refusal(parts, asked)).toEqual(REJECTED);
    expect((await ask(parts, next)).vehicles).toHaveLength(1);
  });

  it('is refused with any bit flipped', async () => {
    const { parts, cursor, next } = await issued();
    const bytes = Buffer.from(cursor, 'base64url');
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const page = { limit: 1, cursor: flipped.toString('base64url') };
        expect(await refusal(parts, { ...next, input: { ...input, page } })).toEqual(REJECTED);
      }),
    );
  });

  it('survives a new key, and not the loss of its own', async () => {
    const { next } = await issued();
    const newer = { id: 2, secret: new Uint8Array(32).fill(2) };
    const rotated = await partsOf(ROWS, groupWith([]), [newer, ...RING]);
    expect((await ask(rotated, next)).vehicles.map((v) => v.vehicle_id)).toEqual(['veh.2']);
    expect(await refusal(await partsOf(ROWS, groupWith([]), [newer]), next)).toEqual(REJECTED);
  });

  it('holds no words of the query', async () => {
    const { cursor } = await issued();
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('accord');
  });
});

describe('The rooftops of a search', () => {
  const idsOf = async (asked: Asked): Promise<string[]> =>
    (await ask(await partsOf(ROWS), asked)).vehicles.map((v) => v.vehicle_id);

  it('are those within reach, or those named of them', async () => {
    expect(await idsOf({})).toEqual(['veh.1', 'veh.2', 'veh.3', 'veh.4', 'veh.5']);
    expect(await idsOf({ rooftops: ['roof.c', 'roof.b'] })).toEqual(['veh.3', 'veh.4', 'veh.5']);
    expect(await idsOf({ rooftops: ['roof.c', 'roof.b'], input: { rooftop_ids: ['roof.c'] } })).toEqual(['veh.5']);
  });

  it('are never trimmed', async () => {
    const parts = await partsOf(ROWS);
    const rooftop_ids = ['roof.a', 'roof.b'];
    expect(await refusal(parts, { rooftops: ['roof.a'], input: { rooftop_ids } })).toMatchObject({
      code: 'grant.tenant_forbidden',
    });
    expect(await refusal(parts, { input: { rooftop_ids: ['roof.a', 'roof.none'] } })).toMatchObject({
      code: 'resource.not_found',
    });
  });

  it('bound the marks of a VIN that several publish', async () => {
    const parts = await partsOf([ROWS[0]!, { ...ROWS[2]!, vin: ROWS[0]!.vin }]);
    const text = async (asked: Asked): Promise<string> => JSON.stringify((await ask(parts, asked)).vehicles);
    expect(await text({ input: { rooftop_ids: ['roof.a'] } })).toContain('roof.b');
    expect(await text({ rooftops: ['roof.a', 'roof.c'] })).not.toContain('roof.b');
  });

  it('decide whether summaries of used vehicles can be asked for', async () => {
    const parts = await partsOf(ROWS, groupWith(['roof.b']));
    const filters = { inventory_age_max_days: 100 };
    expect(await refusal(parts, { input: { filters, rooftop_ids: ['roof.a'] } })).toMatchObject({
      code: 'capability.unsupported',
    });
    // Units that publish none are neither young nor old.
    expect((await ask(parts, { input: { filters } })).vehicles).toEqual([]);
  });
});

describe('A search that finds nothing', () => {
  it('is an answer of its own', async () => {
    const answer = await ask(await partsOf(ROWS), { input: { query: 'zeppelin' } });
    expect(answer).toMatchObject({ vehicles: [], page: { has_more: false }, freshness: { state: 'current' } });
    expect(answer.page).not.toHaveProperty('next_cursor');
    const empty = await ask(await partsOf([], { ...groupWith([]), rooftops: [] }));
    expect(empty.vehicles).toEqual([]);
  });
});
