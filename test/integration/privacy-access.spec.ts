import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContentStore } from '../../src/kernel/ports/content-store.js';
import { RunAccess } from '../../src/modules/privacy/app/run-access.js';
import { RunPrivacyRequest } from '../../src/modules/privacy/app/run-privacy-request.js';
import type { PrivacyRequest } from '../../src/modules/privacy/domain/privacy-request.js';
import { GROUP, PrivacyWorld } from '../support/privacy-world.js';
import { operatorOrigin } from '../support/staff.js';

const OFFICER = { ...operatorOrigin(), actorKind: 'person', actor: 'staff.officer' } as const;
/** `ACCESS_RECORDS=50000` for the figure in docs/benchmarks.md. */
const RECORDS = Number(process.env['ACCESS_RECORDS'] ?? 2000);
const PIECE = Math.max(600, RECORDS / 20);
const SAMPLE_MS = 20;

let world: PrivacyWorld;
let events: readonly string[];
beforeAll(async () => {
  world = await PrivacyWorld.open({ partRecords: PIECE });
  const first = await world.addPerson('staff.long', 'Long Serving', 'long@customer.test', false);
  const acted: string[] = [...first];
  while (acted.length < RECORDS)
    acted.push(...(await world.act('staff.long', 'person', Math.min(500, RECORDS - acted.length))));
  events = acted;
  await world.addPerson('staff.short', 'Short Serving', 'short@customer.test', false);
  await asked(world.running, 'staff.short'); // what the first one loads and compiles is not what is looked at here
}, 600_000);
afterAll(() => world.close());

/** Starts it, and lets `running` do the work. */
async function asked(running: RunPrivacyRequest, personId = 'staff.long'): Promise<PrivacyRequest> {
  const request = await world.verified('access', { kind: 'person', id: personId });
  await world.start.run(GROUP, request.requestId, [request.version], OFFICER);
  await running.run(GROUP, request.requestId, new AbortController().signal);
  return world.get(request.requestId);
}

/** @returns ids of audit records in the file, in its order, after holding it against its manifest */
async function recordsIn(requestId: string): Promise<readonly string[]> {
  const file = await world.accessFiles.find(GROUP, requestId);
  const whole = createHash('sha256');
  const ids: string[] = [];
  let rest = '';
  for await (const chunk of world.accessFiles.content(GROUP, file)) {
    whole.update(chunk);
    const lines = (rest + Buffer.from(chunk).toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { place, event_id: id } = JSON.parse(line) as { place?: string; event_id?: string };
      if (place === 'audit_events' && id !== undefined) ids.push(id);
    }
  }
  expect(JSON.parse(file.manifest)).toMatchObject({ sha256: whole.digest('hex') });
  return ids;
}

/** Bytes by which the process grew at most while it worked. */
async function growth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
  await work();
  clearInterval(timer);
  return most - before;
}

describe('the file of somebody with many records', () => {
  it('has each of them once, in pieces, and takes no more memory than a page of them', async () => {
    let done: PrivacyRequest | undefined;
    const cpu = process.cpuUsage();
    const grown = await growth(async () => {
      done = await asked(world.running);
    });
    const { user, system } = process.cpuUsage(cpu);
    console.log(
      `${RECORDS} records: grew by ${Math.round(grown / 2 ** 20)} MiB, ${Math.round((user + system) / 1000)} ms of CPU`,
    );
    expect(done?.state).toBe('ready');
    const found = await recordsIn(done!.requestId);
    expect(found.toSorted()).toEqual(events.toSorted());
    expect(grown).toBeLessThan(96 * 2 ** 20);
  }, 600_000);

  it('is the same when the process died in the middle of a piece: the next one writes that piece anew', async () => {
    let pieces = 0;
    const dying: ContentStore = {
      open: (...args) => world.files.open(...args),
      remove: (...args) => world.files.remove(...args),
      put: async (organizationId, content) => {
        if (++pieces < 2) return world.files.put(organizationId, content);
        let read = 0;
        for await (const chunk of content) if ((read += chunk.length) > 0) throw new Error('died');
        throw new Error('not reached');
      },
    };
    const first = new RunPrivacyRequest(world.parts, undefined as never, new RunAccess(world.parts, dying, PIECE));
    await expect(asked(first)).rejects.toThrow('died');
    const [open] = await world.manage.list(GROUP, { limit: 1, state: 'running' });
    expect(open?.progress.after, 'as far as the piece before').not.toBe('');
    await world.admin.query('UPDATE privacy_requests SET lease_until = now() WHERE request_id = $1', [open!.requestId]);
    await world.running.run(GROUP, open!.requestId, new AbortController().signal);
    const done = await world.get(open!.requestId);
    expect(done).toMatchObject({ state: 'ready', attempt: 2 });
    expect((await recordsIn(done.requestId)).toSorted()).toEqual(events.toSorted());
    expect(done.progress.places.find(({ place }) => place === 'audit_events')?.found).toBe(RECORDS);
  }, 600_000);
});
