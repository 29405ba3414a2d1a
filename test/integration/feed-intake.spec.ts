import { createServer, type RequestListener, type Server } from 'node:http';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ChangeFeed } from '../../src/modules/inventory/app/change-feed.js';
import { PullFeed } from '../../src/modules/inventory/app/pull-feed.js';
import { systemOrigin } from '../../src/modules/inventory/app/system-origin.js';
import { ScanWatchedFolders } from '../../src/modules/inventory/app/scan-watched-folders.js';
import { ScheduleFetches } from '../../src/modules/inventory/app/schedule-fetches.js';
import { EgressFeedFetcher } from '../../src/modules/inventory/infra/egress-feed-fetcher.js';
import { LocalContentStore } from '../../src/platform/files/local-content-store.js';
import { LocalWatchedFolders } from '../../src/modules/inventory/infra/local-watched-folders.js';
import { EgressClient } from '../../src/platform/egress/egress-client.js';
import { csvOf, range } from '../support/feed-csv.js';
import { chunked, FeedWorld, ORGANIZATION } from '../support/feed-world.js';

const HOUR = 3_600_000;
let world: FeedWorld;
let now = Date.parse('2026-11-30T06:00:00Z');
const clock = { now: () => now };

beforeAll(async () => {
  world = await FeedWorld.open(clock);
});
afterAll(() => world.close());
beforeEach(() => {
  now += 48 * HOUR;
  world.queue.added.length = 0;
});

describe('the file store', () => {
  it('keeps a file once by its content and gives it back', async () => {
    const store = new LocalContentStore(join(world.filesDir, 'store'));
    const [first, second] = [
      await store.put('org.a', chunked('hello', 2)),
      await store.put('org.a', chunked('hello', 3)),
    ];
    expect(first).toEqual(second);
    expect(first).toMatchObject({
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      bytes: 5,
    });
    const parts: Uint8Array[] = [];
    for await (const part of store.open('org.a', first.storageKey).chunks()) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('hello');
    expect(() => store.open('org.a', '../../etc/passwd')).toThrow();
  });

  it('removes a file that was not put lately, also where an attempt before was killed', async () => {
    const root = join(world.filesDir, 'removing');
    const store = new LocalContentStore(root);
    const { storageKey, sha256 } = await store.put('org.a', chunked('gone'));
    expect(await store.remove('org.a', storageKey, 60_000)).toBe('in_use');
    expect(await store.remove('org.a', storageKey, 0)).toBe('removed');
    expect(await store.remove('org.a', storageKey, 0)).toBe('absent');
    await store.put('org.a', chunked('gone'));
    await rename(join(root, 'org.a', storageKey), join(root, 'org.a', 'incoming', `removed-${sha256}`)); // and killed here
    expect(await store.remove('org.a', storageKey, 0)).toBe('removed');
    const files = await readdir(join(root, 'org.a'), { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile())).toEqual([]);
    await expect(store.remove('org.a', '../../etc/passwd', 0)).rejects.toThrow();
  });

  it('leaves nothing behind of a file that is too large or breaks off', async () => {
    const root = join(world.filesDir, 'bounded');
    const store = new LocalContentStore(root, 10);
    await expect(store.put('org.a', chunked('12345678901', 4))).rejects.toMatchObject({ code: 'input.too_large' });
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunked('abc');
      throw new Error('connection lost');
    };
    await expect(store.put('org.a', broken())).rejects.toThrow('connection lost');
    expect((await readdir(join(root, 'org.a'), { recursive: true })).filter((name) => name !== 'incoming')).toEqual([]);
  });
});

describe('intake', () => {
  it('stores, records, audits and queues a file; the same content at once is answered as published', async () => {
    await world.createFeed('feed.intake');
    const first = await world.receive('feed.intake', csvOf(range(1, 3)));
    expect(first.outcome).toBe('queued');
    expect(world.queue.added).toEqual([
      { queue: 'feed-runs', key: `${first.runId}-0`, payload: { organizationId: ORGANIZATION, id: first.runId } },
    ]);
    await world.work(first.runId);
    expect(await world.receive('feed.intake', csvOf(range(1, 3)))).toMatchObject({
      outcome: 'already_published',
      runId: first.runId,
    });
    expect(await world.receive('feed.intake', csvOf(range(1, 3)), { force: true })).toMatchObject({
      outcome: 'queued',
    });
    const audited = await world.query<{ reason: string }>(
      `SELECT reason FROM audit_events WHERE operation = 'feeds.receive' AND 'feed.intake' = ANY(resource_ids) ORDER BY recorded_at`,
    );
    expect(audited.map((row) => row.reason)).toEqual(['queued', 'already_published', 'queued']);
  });

  it('imports the same content again when half of its service level has passed, so that it does not go stale', async () => {
    await world.createFeed('feed.daily');
    await world.import('feed.daily', csvOf(range(1, 3)), { force: true });
    await world.admin.query(`DELETE FROM rooftop_inventory`);
    const { runId } = await world.import('feed.daily', csvOf(range(1, 3)), { force: true });
    now += 11 * HOUR;
    expect(await world.receive('feed.daily', csvOf(range(1, 3)))).toMatchObject({
      outcome: 'already_published',
      runId,
    });
    now += HOUR;
    expect(await world.receive('feed.daily', csvOf(range(1, 3)))).toMatchObject({ outcome: 'queued' });
  });

  it('refuses an empty file and an unknown feed', async () => {
    await world.createFeed('feed.empty');
    await expect(world.receive('feed.empty', '')).rejects.toMatchObject({ code: 'input.unparsable' });
    await expect(world.receive('feed.none', 'x')).rejects.toMatchObject({ code: 'resource.not_found' });
  });
});

describe('a watched folder', () => {
  let root: string;
  let folder: string;
  let folders: LocalWatchedFolders;
  let scan: () => Promise<number>;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'forecourt-watch-'));
    folder = join(root, ORGANIZATION, 'north');
    await mkdir(folder, { recursive: true });
    folders = new LocalWatchedFolders(root, clock);
    const feedId = `feed.watch.${now}`;
    await world.createFeed(feedId, { source: { kind: 'watch', folder: 'north' } });
    const feed = await world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.stores.feeds.find(tx, feedId));
    const scanning = new ScanWatchedFolders(folders, world.receiving);
    scan = () => scanning.run([feed!]);
    return () => rm(root, { recursive: true, force: true });
  });

  const names = async (aside: string): Promise<string[]> =>
    (await readdir(join(folder, aside))).map((name) => name.replace(/^\d+-/, '')).toSorted();
  const settle = async (): Promise<number> => {
    let taken = await scan();
    now += 2000;
    taken += await scan();
    return taken;
  };

  it('takes a file when it has stopped changing, and puts it aside', async () => {
    await writeFile(join(folder, 'a.csv'), csvOf([1]));
    expect(await scan()).toBe(0);
    now += 1999;
    expect(await scan()).toBe(0);
    await writeFile(join(folder, 'a.csv'), csvOf([1, 2]));
    now += 2000;
    expect(await scan()).toBe(0);
    now += 2000;
    expect(await scan()).toBe(1);
    expect(world.queue.added).toHaveLength(1);
    expect(await names('processed')).toEqual(['a.csv']);
  });

  it('leaves files alone that are still being written under another name', async () => {
    await writeFile(join(folder, 'a.csv.part'), csvOf([1]));
    expect(await settle()).toBe(0);
    await rename(join(folder, 'a.csv.part'), join(folder, 'a.csv'));
    expect(await settle()).toBe(1);
  });

  it('puts what cannot be taken in aside with the reason', async () => {
    await writeFile(join(folder, 'empty.csv'), '');
    await symlink('/etc/hostname', join(folder, 'link.csv'));
    expect(await settle()).toBe(0);
    expect(await names('failed')).toEqual(['empty.csv', 'empty.csv.reason.txt', 'link.csv', 'link.csv.reason.txt']);
    const reason = (await readdir(join(folder, 'failed'))).find((name) => name.endsWith('link.csv.reason.txt'));
    expect(await readFile(join(folder, 'failed', reason!), 'utf8')).toContain('links');
  });

  it('is out of reach by traversal, by link, and for another organization', async () => {
    await mkdir(join(root, 'org.other', 'north'), { recursive: true });
    await symlink(join(root, 'org.other', 'north'), join(root, ORGANIZATION, 'sneaky'));
    for (const name of ['../org.other/north', '..', '.', '/etc', 'a/../../org.other', '', 'sneaky'])
      await expect(folders.takeSettled(ORGANIZATION, name)).rejects.toThrow();
    await expect(folders.takeSettled('..', 'north')).rejects.toThrow();
  });

  it('gives each file to one of several scanners', async () => {
    for (const n of range(1, 8)) await writeFile(join(folder, `${n}.csv`), csvOf([n]));
    const others = [folders, new LocalWatchedFolders(root, clock)];
    for (const f of others) await f.takeSettled(ORGANIZATION, 'north');
    now += 2000;
    const taken = await Promise.all(others.map((f) => f.takeSettled(ORGANIZATION, 'north')));
    expect(
      taken
        .flat()
        .map((f) => f.name)
        .toSorted(),
    ).toEqual(range(1, 8).map((n) => `${n}.csv`));
  });
});

describe('a pulled feed', () => {
  let server: Server;
  let handler: RequestListener;
  let url: string;
  let egress: EgressClient;
  let pull: (feedId: string) => Promise<string>;

  beforeAll(async () => {
    server = createServer((request, response) => {
      handler(request, response);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    url = `http://${host}/inventory/feed.csv`;
    egress = new EgressClient([host]);
    const pulling = new PullFeed(
      world.unitOfWork,
      world.stores.feeds,
      new EgressFeedFetcher(egress, 1000, 50_000),
      world.receiving,
      clock,
    );
    pull = (feedId) => pulling.run(ORGANIZATION, feedId);
    return async () => {
      await egress.close();
      server.closeAllConnections();
      server.close();
    };
  });

  const create = async (name: string): Promise<string> => {
    const feedId = `feed.pull.${name}`;
    await world.createFeed(feedId, { source: { kind: 'pull', url, interval_minutes: 60 } });
    return feedId;
  };

  it('is fetched when due, asks only for what changed, and is imported again before it goes stale', async () => {
    const feedId = await create('etag');
    const asked: (string | undefined)[] = [];
    handler = (request, response) => {
      asked.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"v1"' }).end(csvOf(range(1, 5)));
    };
    await world.admin.query('DELETE FROM rooftop_inventory');
    expect(await pull(feedId)).toBe('queued');
    expect(await pull(feedId)).toBe('not_due');
    await world.work(world.queue.added[0]!.payload.id);
    now += HOUR;
    expect(await pull(feedId)).toBe('not_modified');
    expect(world.queue.added).toHaveLength(1);
    now += 12 * HOUR;
    expect(await pull(feedId)).toBe('not_modified');
    expect(world.queue.added).toHaveLength(2);
    expect(asked).toEqual([undefined, '"v1"', '"v1"']);
  });

  it('says nothing of an address that it does not have any more', async () => {
    const feedId = await create('moved');
    const change = new ChangeFeed(world.unitOfWork, world.stores.feeds, world.stores.audit);
    const origin = systemOrigin('test');
    handler = (_request, response) => {
      const source = { kind: 'pull', url: `${url}?elsewhere`, interval_minutes: 60 } as const;
      void change.run(ORGANIZATION, feedId, { source }, [1], origin).then(() => {
        response.writeHead(200, { etag: '"old"' }).end(csvOf(range(1, 5)));
      });
    };
    await pull(feedId);
    const feed = await world.unitOfWork.withTenant(ORGANIZATION, (tx) => world.stores.feeds.find(tx, feedId));
    expect(feed).toMatchObject({ version: 2, lastPulledAt: null, fetchState: {} });
  });

  it('keeps how it failed, and is tried again after its interval', async () => {
    const feedId = await create('fails');
    const cases: [RequestListener, string][] = [
      [(_q, r) => r.writeHead(302, { location: 'https://169.254.169.254/latest' }).end(), 'address_refused'],
      [(_q, r) => r.writeHead(302, { location: '/inventory/feed.csv' }).end(), 'too_many_redirects'],
      [(_q, r) => r.end('x'.repeat(50_001)), 'too_large'],
      [() => undefined, 'timeout'],
      [(_q, r) => r.writeHead(404).end('no'), 'http_404'],
      [(_q, r) => r.end(), 'empty_file'],
    ];
    for (const [answer, outcome] of cases) {
      handler = answer;
      expect(await pull(feedId)).toBe(outcome);
      expect(
        await world.query(`SELECT fetch_state ->> 'outcome' AS outcome FROM feeds WHERE feed_id = $1`, [feedId]),
      ).toEqual([{ outcome }]);
      now += HOUR;
    }
    expect(world.queue.added).toEqual([]);
  });

  it('becomes a job when it is due, and not before', async () => {
    const feedId = await create('due');
    const scheduling = new ScheduleFetches(world.unitOfWork, world.stores, world.queue, clock);
    const jobs = (): unknown[] => world.queue.added.filter((job) => job.payload.id === feedId);
    await scheduling.run();
    expect(jobs()).toEqual([
      {
        queue: 'feed-fetches',
        key: `pull-${ORGANIZATION}-${feedId}`,
        payload: { organizationId: ORGANIZATION, id: feedId },
      },
    ]);
    handler = (_q, r) => r.end(csvOf([1]));
    await pull(feedId);
    world.queue.added.length = 0;
    await scheduling.run();
    expect(jobs()).toEqual([]);
  });
});
