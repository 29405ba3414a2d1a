import { spawn } from 'node:child_process';
import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/kernel/ports/restore-journal.js';
import type { JournalStorage } from '../../src/modules/restore-journal/app/journal-storage.js';
import { refusalOf } from '../../src/modules/restore-journal/app/restore-refusal.js';
import { readJournalKey } from '../../src/modules/restore-journal/domain/journal-key.js';
import { readSegment, type SegmentReading } from '../../src/modules/restore-journal/domain/read-segment.js';
import { type CompiledService, compileService } from '../support/compiled-service.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type JournalPlace, journalPlace, openRestoreWorld, type RestoreWorld } from '../support/restore-world.js';

const WRITER = fileURLToPath(new URL('../support/journal-writer-process.mjs', import.meta.url));
const GROUP = 'group-a';
let compiled: CompiledService;

beforeAll(async () => {
  compiled = await compileService();
});
afterAll(() => compiled.remove());

/** A world of its own for each test: database, folder, process. */
async function inWorld(
  work: (world: RestoreWorld, place: JournalPlace, database: TestDatabase) => Promise<void>,
  options: Parameters<typeof openRestoreWorld>[2] = {},
): Promise<void> {
  const database = await createTestDatabase();
  const place = await journalPlace();
  const world = await openRestoreWorld(database, place, options);
  try {
    await world.admin.query(`INSERT INTO organizations (organization_id, name) VALUES ($1, 'A')`, [GROUP]);
    await work(world, place, database);
  } finally {
    await world.close();
    await database.drop();
    await place.remove();
  }
}

const revoked = (id: string): JournalEntry => ({
  kind: 'revocation',
  organizationId: GROUP,
  content: { what: 'key', id, revokedAt: '2026-11-30T10:00:00.000Z' },
});
const append = ({ unitOfWork, journal }: RestoreWorld, id: string): Promise<void> =>
  unitOfWork.withTenant(GROUP, (tx) => journal.append(revoked(id), tx));

async function readAll({ storage }: RestoreWorld, { keyText }: JournalPlace): Promise<readonly SegmentReading[]> {
  const keys = [readJournalKey(keyText)];
  return Promise.all((await storage.list()).map(async (id) => readSegment(id, await storage.read(id), keys)));
}
const idsIn = (readings: readonly SegmentReading[]): string[] =>
  readings.flatMap(({ entries }) =>
    entries.map(({ record }) => (record.entry.kind === 'revocation' ? record.entry.content.id : record.entry.kind)),
  );

/** @param before shell words before the program, such as a limit */
async function writeUntil(
  enough: (lines: readonly string[]) => boolean,
  { folder, keyText }: JournalPlace,
  { appUrl }: TestDatabase,
  before = '',
): Promise<{ answered: string[]; refused: string[] }> {
  const args = [WRITER, join(dirname(compiled.main)), folder, keyText, appUrl, '3'];
  const child = spawn('bash', ['-c', `${before} exec "$0" "$@"`, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise((done) => child.once('close', done));
  const deadline = Date.now() + 30_000;
  while (!enough(output.split('\n')) && Date.now() < deadline && child.exitCode === null)
    await new Promise((done) => setTimeout(done, 5));
  child.kill('SIGKILL');
  await ended;
  if (!enough(output.split('\n'))) throw new Error(output);
  const of = (word: string): string[] =>
    [...output.matchAll(new RegExp(`^${word} (\\S+)$`, 'gm'))].map((m) => m[1] ?? '');
  return { answered: of('answered'), refused: of('refused') };
}
const answers = (count: number) => (lines: readonly string[]) =>
  lines.filter((l) => l.startsWith('answered')).length >= count;

describe('what was answered', () => {
  it('is in the journal after kill -9, wherever it hit, and the service opens again', () =>
    inWorld(async (world, place, database) => {
      const answered: string[] = [];
      for (const count of [2, 40]) answered.push(...(await writeUntil(answers(count), place, database)).answered);
      const readings = await readAll(world, place);
      expect(readings).toHaveLength(2);
      expect(readings.map(({ damage }) => damage)).toEqual([undefined, undefined]);
      expect(new Set(idsIn(readings))).toEqual(new Set([...idsIn(readings), ...answered]));
      expect(answered.length).toBeGreaterThanOrEqual(42);
      const noted = await world.admin.query('SELECT FROM restore_journal_entries');
      expect(noted.rowCount).toBeGreaterThanOrEqual(answered.length);
      expect(refusalOf(await world.check.run())).toBeUndefined();
    }));

  it('of two processes that write at once lies in two segments, all of it', () =>
    inWorld(async (world, place, database) => {
      const both = await Promise.all([30, 30].map((count) => writeUntil(answers(count), place, database)));
      const readings = await readAll(world, place);
      expect(readings.map(({ damage, tornBytes }) => [damage, tornBytes > 200])).toEqual([
        [undefined, false],
        [undefined, false],
      ]);
      const found = new Set(idsIn(readings));
      expect(both.flatMap(({ answered }) => answered).filter((id) => !found.has(id))).toEqual([]);
    }));

  it('stays whole on a disk that runs full: changes are refused clearly, and nothing is half there', () =>
    inWorld(async (world, place, database) => {
      const full = (lines: readonly string[]): boolean => lines.filter((l) => l.startsWith('refused')).length >= 5;
      const { answered, refused } = await writeUntil(full, place, database, 'ulimit -f 16;');
      expect(new Set(refused)).toEqual(new Set(['restore_journal_not_written']));
      expect(answered.length).toBeGreaterThan(10);
      const readings = await readAll(world, place);
      // What did not fit was cut off each time, else it would stand in the middle; the kill may have hit the last time before that.
      expect(readings.map(({ damage, tornBytes }) => [damage, tornBytes > 1200])).toEqual([[undefined, false]]);
      const ids = idsIn(readings);
      expect(answered.filter((id) => !ids.includes(id))).toEqual([]);
      const { rows } = await world.admin.query<{ seq: number }>('SELECT seq::int FROM restore_journal_entries');
      expect(rows.filter(({ seq }) => seq > ids.length)).toEqual([]);
      expect(refusalOf(await world.check.run())).toBeUndefined();
    }));
});

describe('the gate', () => {
  it('opens on a fresh database, and says nothing of an ordinary journal', () =>
    inWorld(async (world) => {
      expect(await world.check.run()).toEqual({
        findings: [],
        unsettled: [],
        unconfigured: false,
        foreignHorizon: false,
        statements: [],
      });
      for (const id of ['a', 'b']) await append(world, id);
      expect(await world.check.run()).toMatchObject({ findings: [], unsettled: [] });
    }));

  it('tells a missing, a cut and an altered journal apart, and goes on only when the loss was accepted', () =>
    inWorld(async (world, place) => {
      for (const id of ['a', 'b', 'c']) await append(world, id);
      const [name = ''] = await readdir(place.folder);
      const file = join(place.folder, name);
      const whole = await readFile(file);
      const problem = async (): Promise<string[]> => (await world.check.run()).findings.map((f) => f.problem);
      await truncate(file, whole.lastIndexOf('\n', whole.length - 2) + 1);
      expect(await problem()).toEqual(['segment_cut']);
      await appendFile(file, 'x');
      expect(await problem()).toEqual(['segment_cut']);
      const altered = Buffer.from(whole);
      altered[whole.length - 9] = altered[whole.length - 9] === 0x41 ? 0x42 : 0x41;
      await writeFile(file, altered);
      expect(await problem()).toEqual(['segment_altered']);
      await rm(file);
      expect(await problem()).toEqual(['segment_missing']);
      expect(refusalOf(await world.check.run())?.message).toContain('accept-loss');
      await expect(world.replay.run({ dryRun: false })).rejects.toThrow('damaged');

      expect(await world.acceptLoss.run('the disk burnt down')).toEqual([name.replace('.journal', '')]);
      expect(refusalOf(await world.check.run())).toBeUndefined();
      const { rows } = await world.admin.query<{ operation: string }>('SELECT operation FROM audit_events');
      expect(rows).toEqual([{ operation: 'restore.accept_loss' }]);
    }));

  it('finds damage in the middle when it replays, and does nothing before it was accepted', () =>
    inWorld(async (world, place) => {
      for (const id of ['a', 'b', 'c']) await append(world, id);
      const [name = ''] = await readdir(place.folder);
      const lines = (await readFile(join(place.folder, name), 'utf8')).split('\n');
      [lines[1], lines[2]] = [lines[2] ?? '', lines[1] ?? ''];
      await writeFile(join(place.folder, name), lines.join('\n'));
      await expect(world.replay.run({ dryRun: false })).rejects.toThrow('damaged');
      expect((await world.replay.run({ dryRun: true })).damage).toMatchObject([{ kind: 'out_of_order', line: 2 }]);
      await world.acceptLoss.run('looked at by two people');
      expect(await world.replay.run({ dryRun: false })).toMatchObject({ entries: 3, known: 3 });
    }));

  it('does again what a process had written when its transaction was rolled back', () =>
    inWorld(async (world) => {
      await world.admin.query(
        `INSERT INTO api_keys (key_id, organization_id, name, role, secret_hash) VALUES ('left', $1, 'n', 'app', sha256(''))`,
        [GROUP],
      );
      const rolledBack = world.unitOfWork.withTenant(GROUP, async (tx) => {
        await world.journal.append(revoked('left'), tx);
        throw new Error('rolled back');
      });
      await expect(rolledBack).rejects.toThrow('rolled back');
      const { unsettled, findings } = await world.check.run();
      expect([findings, unsettled.length]).toEqual([[], 1]);
      expect((await world.replay.run({ dryRun: false })).outcomes.revocation.replayed).toBe(1);
      expect((await world.admin.query('SELECT FROM api_keys WHERE revoked_at IS NOT NULL')).rowCount).toBe(1);
      expect((await world.check.run()).unsettled).toEqual([]);
    }));
});

describe('a journal that is away', () => {
  const away = { on: true };
  const storage = (real: JournalStorage): JournalStorage => ({
    list: () => real.list(),
    read: (id) => real.read(id),
    tail: (id, bytes) => real.tail(id, bytes),
    create: (id, head) =>
      away.on ? Promise.reject(new Error('ENOSPC: no space left on device')) : real.create(id, head),
  });

  it('refuses what must be in it, and lets revocations take effect: they are owed and follow', () =>
    inWorld(
      async (world, place) => {
        await expect(append(world, 'x')).rejects.toMatchObject({
          code: 'upstream.unavailable',
          context: { auditReason: 'restore_journal_not_written' },
        });
        const owed = async (): Promise<number | null> =>
          (await world.admin.query('SELECT FROM restore_journal_owed')).rowCount;
        await world.unitOfWork.withTenant(GROUP, (tx) =>
          world.revocations.note(tx, { what: 'key', id: 'stolen', revokedAt: '2026-11-30T10:00:00.000Z' }),
        );
        expect(await owed()).toBe(1);
        expect(world.complaints).toEqual([expect.stringContaining('ENOSPC')]);
        await expect(world.revocations.settle()).rejects.toMatchObject({ code: 'upstream.unavailable' });
        expect(await owed()).toBe(1);
        away.on = false;
        await world.revocations.settle();
        expect(await owed()).toBe(0);
        expect(idsIn(await readAll(world, place))).toEqual(['stolen']);
      },
      { storage },
    ));
});
