import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AccessSnapshot } from '../domain/access-snapshot.js';
import { checksumOf, encodeContent } from '../domain/access-snapshot.js';
import { LocalAccessFiles } from './local-access-files.js';

const KEY = Buffer.alloc(32, 1);
const CONTENT = { keys: [{ secretHash: Uint8Array.from([1, 2, 3]), name: 'a telling name' }] };
const snapshot: AccessSnapshot = {
  organizationId: 'north-group',
  stamp: { version: 3, changedAt: 5 },
  content: CONTENT,
  checksum: checksumOf(encodeContent(CONTENT)),
  confirmedAt: 7,
};

let dir: string;
let problems: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'forecourt-access-'));
  problems = [];
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const files = (...keys: [Uint8Array, ...Uint8Array[]]): LocalAccessFiles =>
  new LocalAccessFiles(dir, keys, (problem) => void problems.push(problem));

it('comes back as it was written, for this installation alone', async () => {
  await files(KEY).saveSnapshot(snapshot);
  const [name = ''] = await readdir(dir);
  expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(dir, name), 'latin1')).not.toContain('telling');
  expect(await files(KEY).snapshots(5)).toEqual([snapshot]);
  expect(await files(Buffer.alloc(32, 2), KEY).snapshots(5)).toEqual([snapshot]); // the secret was rotated
  expect(problems).toEqual([]);
  expect(await files(Buffer.alloc(32, 2)).snapshots(5)).toEqual([]);
  expect(problems[0]).toContain('another secret');
});

it('is not used with any byte changed, cut or foreign, and the log says so', async () => {
  await files(KEY).saveSnapshot(snapshot);
  const file = join(dir, 'north-group.snapshot');
  const good = await readFile(file);
  const flipped = Buffer.from(good);
  flipped[good.length - 3]! ^= 1;
  for (const bad of [flipped, good.subarray(0, 20), Buffer.from('garbage'), Buffer.alloc(0)]) {
    await writeFile(file, bad);
    problems = [];
    expect(await files(KEY).snapshots(5)).toEqual([]);
    expect(problems).toHaveLength(1);
  }
  await writeFile(join(dir, 'south-group.snapshot'), good);
  await rm(file);
  expect(await files(KEY).snapshots(5)).toEqual([]);
  expect(problems.at(-1)).toContain('another organization');
});

it('keeps revocations', async () => {
  const revocations = [{ organizationId: 'north-group', kind: 'key', id: 'k', revokedAt: 5 }] as const;
  expect(await files(KEY).revocations()).toEqual([]);
  await files(KEY).saveRevocations(revocations);
  expect(await files(KEY).revocations()).toEqual(revocations);
});
