// Brings generated files in through the admin API, as dealers' vendors do, and waits until all of them are published.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';
import { cpuMs, peakMiB, residentMiB } from './load.mjs';

/**
 * @param wholeGroup one file with the units of all rooftops, as a group's own system exports it, instead of one a rooftop.
 * @returns rows per second from the first upload to the last publication, and the server's memory.
 */
export async function importInventory(service, group, units, { wholeGroup = false } = {}) {
  const { generateInventory } = await import(join(ROOT, 'dist/demo/inventory-generator.js'));
  const observedAt = Date.now();
  const perRooftop = Math.floor(units / group.rooftops.length);
  const extra = units % group.rooftops.length;
  const perRooftopFiles = group.rooftops.map(({ rooftopId }, i) => ({
    feedId: `feed.${rooftopId}`,
    body: [
      ...generateInventory({
        organizationId: group.organizationId,
        rooftopId,
        rooftopNumber: i,
        units: perRooftop + (i < extra ? 1 : 0),
        observedAt,
        badRowShare: 0.01,
      }),
    ].join(''),
  }));
  const files = wholeGroup ? [await groupFile(service, group, perRooftopFiles)] : perRooftopFiles;
  const megabytes = files.reduce((sum, f) => sum + f.body.length, 0) / 1e6;
  const headers = { authorization: `Bearer ${service.keys[group.organizationId]}` };
  const before = residentMiB(service.pid);
  const cpuBefore = cpuMs(service.pid);
  const started = performance.now();
  let last;
  for (const { feedId, body } of files) {
    const response = await fetch(`${service.origin}/admin/v1/feeds/${feedId}/files?name=inventory.csv`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
      body,
    });
    if (response.status !== 202) throw new Error(`upload answered ${response.status}: ${await response.text()}`);
    last = (await response.json()).data.run_id;
  }
  // The overview counts every unit: it is asked only when the last file is in, so that watching does not become the load.
  const get = async (path) => (await (await fetch(`${service.origin}/admin/v1/${path}`, { headers })).json()).data;
  do await new Promise((done) => setTimeout(done, 200));
  while ((await get(`feed-runs/${last}`)).state !== 'published');
  let overview;
  do {
    await new Promise((done) => setTimeout(done, 200));
    overview = await get('inventory');
  } while (overview.rooftops.length < group.rooftops.length);
  const seconds = (performance.now() - started) / 1000;
  return {
    rows: units,
    files: files.length,
    megabytes,
    seconds,
    rowsPerSecond: units / seconds,
    cpuMicrosPerRow: ((cpuMs(service.pid) - cpuBefore) * 1000) / units,
    residentBeforeMiB: before,
    peakMiB: peakMiB(service.pid),
  };
}

/** All files under one header, and a feed for the whole group. */
async function groupFile(service, group, files) {
  const feed = {
    feed_id: 'feed.group',
    name: 'Group export',
    profile: 'dealer-agent-inventory-csv/0.1',
    rooftops: { rooftop_keys: Object.fromEntries(group.rooftops.map((r) => [r.rooftopId, r.rooftopId])) },
  };
  const response = await fetch(`${service.origin}/admin/v1/feeds`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.keys[group.organizationId]}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(feed),
  });
  if (!response.ok) throw new Error(`the group's feed was answered ${response.status}: ${await response.text()}`);
  const [header] = files[0].body.split('\n', 1);
  return { feedId: feed.feed_id, body: `${header}\n${files.map((f) => f.body.slice(header.length + 1)).join('')}` };
}
