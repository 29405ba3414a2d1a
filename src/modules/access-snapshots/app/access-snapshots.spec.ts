import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../../kernel/failure/failure.js';
import type { AccessSnapshot, VersionStamp } from '../domain/access-snapshot.js';
import { AccessSnapshots } from './access-snapshots.js';
import { KnownRevocations } from './known-revocations.js';
import type { LocalAccessStore, Revocation, SnapshotSource } from './snapshot-ports.js';
import { type SnapshotSection, SnapshotSections } from './snapshot-section.js';

const NORTH = 'north-group';
const away = (): Failure => new Failure('upstream.unavailable');

/** A database with one number for each organization. */
class FakeSource implements SnapshotSource {
  readonly rows = new Map<string, { stamp: VersionStamp; value: unknown }>();
  away = false;
  loads = 0;

  set(organizationId: string, version: number, value: unknown): void {
    this.rows.set(organizationId, { stamp: { version, changedAt: version * 1000 }, value });
  }

  load: SnapshotSource['load'] = (organizationId) => {
    this.loads++;
    if (this.away) return Promise.reject(away());
    const row = this.rows.get(organizationId);
    return Promise.resolve(row && { stamp: row.stamp, content: { 'test.number': row.value } });
  };

  stampsOf: SnapshotSource['stampsOf'] = (ids) =>
    this.away
      ? Promise.reject(away())
      : Promise.resolve(new Map(ids.flatMap((id) => (this.rows.has(id) ? [[id, this.rows.get(id)!.stamp]] : []))));
}

class FakeStore implements LocalAccessStore {
  saved = new Map<string, AccessSnapshot>();
  kept: readonly Revocation[] = [];
  saveSnapshot = (snapshot: AccessSnapshot): Promise<void> => {
    this.saved.set(snapshot.organizationId, snapshot);
    return Promise.resolve();
  };
  snapshots = (): Promise<readonly AccessSnapshot[]> => Promise.resolve([...this.saved.values()]);
  saveRevocations = (all: readonly Revocation[]): Promise<void> => {
    this.kept = all;
    return Promise.resolve();
  };
  revocations = (): Promise<readonly Revocation[]> => Promise.resolve(this.kept);
}

let source: FakeSource;
let local: FakeStore;
let now: number;
let errors: string[];
let announced: [string, unknown][];

const section: SnapshotSection<number> = {
  name: 'test.number',
  load: () => Promise.reject(new Error('the fake source does not ask')),
  validate: (content) => {
    if (typeof content !== 'number') throw new Error('not a number');
    return content;
  },
  changed: (organizationId, content) => void announced.push([organizationId, content]),
};

function processWith(organizations = 10): AccessSnapshots {
  const sections = new SnapshotSections();
  sections.register(section);
  const log = { log: () => undefined, error: (line: string) => void errors.push(line) };
  return new AccessSnapshots(sections, source, local, { organizations, maxAgeMs: 10_000 }, { now: () => now }, log);
}

beforeEach(() => {
  source = new FakeSource();
  local = new FakeStore();
  now = 1_000_000;
  errors = [];
  announced = [];
  source.set(NORTH, 1, 11);
});

describe('a snapshot', () => {
  it('is loaded once, whole, by the sections that modules registered', async () => {
    const snapshots = processWith();
    expect(await Promise.all([snapshots.of(NORTH, section), snapshots.of(NORTH, section)])).toEqual([11, 11]);
    expect(await snapshots.of(NORTH, section)).toBe(11);
    expect(source.loads).toBe(1);
    expect(announced).toEqual([[NORTH, 11]]);
  });

  it('follows a change that was announced, and one whose announcement was missed', async () => {
    const snapshots = processWith();
    await snapshots.of(NORTH, section);
    source.set(NORTH, 2, 22);
    await snapshots.refresh(NORTH);
    expect(await snapshots.of(NORTH, section)).toBe(22);
    source.set(NORTH, 3, 33);
    await snapshots.confirm();
    expect(await snapshots.of(NORTH, section)).toBe(33);
    expect(snapshots.status()).toMatchObject([{ version: 3, ageMs: 0, outdated: false }]);
  });

  it('is confirmed by a walk that ends, whatever is read and changed meanwhile', async () => {
    const snapshots = processWith();
    await snapshots.of(NORTH, section);
    const { stampsOf } = source;
    source.stampsOf = async (ids) => {
      const stamps = await stampsOf(ids);
      source.set(NORTH, 2, 22);
      await snapshots.refresh(NORTH);
      source.set('south-group', 1, 5);
      await snapshots.of('south-group', section);
      return stamps;
    };
    await snapshots.confirm();
    source.stampsOf = stampsOf;
    expect(source.loads).toBe(3);
    await snapshots.confirm();
    expect(source.loads).toBe(3);
    expect(await snapshots.of(NORTH, section)).toBe(22);
  });

  it('that was changed while the database was asked is not taken for confirmed', async () => {
    const snapshots = processWith();
    await snapshots.of(NORTH, section);
    const { stampsOf } = source;
    source.stampsOf = async (ids) => {
      const stamps = await stampsOf(ids);
      source.set(NORTH, 2, 22);
      snapshots.outdate(NORTH);
      return stamps;
    };
    await snapshots.confirm();
    expect(await snapshots.of(NORTH, section)).toBe(22);
  });

  it('is not read ahead any more once the process ends, and what is being read is waited for', async () => {
    const snapshots = processWith();
    await snapshots.of(NORTH, section);
    let answer: () => void = () => undefined;
    const { load } = source;
    source.load = async (...args) => {
      await new Promise<void>((done) => (answer = done));
      return load(...args);
    };
    const reading = snapshots.refresh(NORTH);
    let settled = false;
    const settling = snapshots.settle().then(() => (settled = true));
    await new Promise(setImmediate);
    expect(settled).toBe(false);
    answer();
    await Promise.all([reading, settling]);
    source.load = load;
    const before = source.loads;
    source.set(NORTH, 2, 22);
    await snapshots.refresh(NORTH);
    expect(source.loads).toBe(before);
    expect(await snapshots.of(NORTH, section)).toBe(22); // a call that is still answered reads what it needs
  });

  it('follows a database that was put back to an older version', async () => {
    const snapshots = processWith();
    source.set(NORTH, 5, 55);
    await snapshots.of(NORTH, section);
    source.set(NORTH, 4, 44);
    await snapshots.confirm();
    expect(await snapshots.of(NORTH, section)).toBe(44);
  });

  it('stays when a newer one does not pass, says so, and is too old in the end', async () => {
    const snapshots = processWith();
    await snapshots.of(NORTH, section);
    source.set(NORTH, 2, 'broken');
    await snapshots.confirm();
    expect(await snapshots.of(NORTH, section)).toBe(11);
    expect(errors[0]).toContain('not a number');
    expect(snapshots.status()).toMatchObject([{ version: 1, outdated: true }]);
    now += 9000;
    snapshots.assertCurrent(NORTH);
    now += 2000;
    expect(() => {
      snapshots.assertCurrent(NORTH);
    }).toThrow(Failure);
    source.set(NORTH, 3, 33);
    await snapshots.confirm();
    snapshots.assertCurrent(NORTH);
    expect(await snapshots.of(NORTH, section)).toBe(33);
  });

  it('does not ask for one that cannot be replaced with every call', async () => {
    const snapshots = processWith();
    await snapshots.of(NORTH, section);
    source.set(NORTH, 2, 'broken');
    await snapshots.refresh(NORTH);
    const { loads } = source;
    for (let i = 0; i < 20; i++) await snapshots.of(NORTH, section);
    expect(source.loads).toBe(loads);
  });

  it('stays while the database is away, also for a process that starts from the disk', async () => {
    await processWith().of(NORTH, section);
    source.away = true;
    const later = processWith();
    await later.restore();
    expect(await later.of(NORTH, section)).toBe(11);
    await expect(later.of('never-seen', section)).rejects.toMatchObject({ code: 'upstream.unavailable' });
  });

  it('from the disk gives way to the database, and is not used when it does not pass', async () => {
    await processWith().of(NORTH, section);
    source.set(NORTH, 2, 22);
    const later = processWith();
    await later.restore();
    expect(await later.of(NORTH, section)).toBe(22);
    local.saved.set(NORTH, { ...local.saved.get(NORTH)!, content: { 'test.number': 'garbage' } });
    const third = processWith();
    await third.restore();
    expect(errors.at(-1)).toContain('is not used');
    expect(await third.of(NORTH, section)).toBe(22);
  });

  it('makes room for the organizations that calls come for', async () => {
    const snapshots = processWith(2);
    for (const [i, id] of ['a', 'b', 'c'].entries()) source.set(id, 1, i);
    await snapshots.of('a', section);
    await snapshots.of('b', section);
    await snapshots.of('a', section);
    await snapshots.of('c', section);
    expect(snapshots.status().map((one) => one.organizationId)).toEqual(['a', 'c']);
    expect(announced.at(-1)).toEqual(['b', undefined]);
  });
});

describe('revocations', () => {
  const revoked: Revocation = { organizationId: NORTH, kind: 'key', id: 'k1', revokedAt: 999_000 };
  const known = (rows: readonly Revocation[] = []): KnownRevocations =>
    new KnownRevocations(
      { since: () => (source.away ? Promise.reject(away()) : Promise.resolve({ horizon: '7', revocations: rows })) },
      local,
      { now: () => now },
      { error: (line) => void errors.push(line) },
    );

  it('count at once, and after a restart without the database', async () => {
    const first = known();
    first.apply([revoked]);
    expect(first.endOf('key', NORTH, 'k1')).toBe(999_000);
    expect(first.endOf('grant', NORTH, 'k1')).toBeUndefined();
    expect(first.endOf('key', 'south-group', 'k1')).toBeUndefined();
    await first.saved();
    source.away = true;
    const second = known();
    await second.restore();
    expect(second.endOf('key', NORTH, 'k1')).toBe(999_000);
  });

  it('are caught up with from the table, and may be taken back', async () => {
    const process = known([revoked]);
    await process.catchUp();
    expect(process.endOf('key', NORTH, 'k1')).toBe(999_000);
    process.apply([{ ...revoked, revokedAt: null }]);
    expect(process.endOf('key', NORTH, 'k1')).toBeUndefined();
  });
});
