import { Failure } from '../../../kernel/failure/failure.js';
import type { Clock } from '../../../kernel/time.js';
import type { AccessSnapshot, VersionStamp } from '../domain/access-snapshot.js';
import { checksumOf, encodeContent, sameStamp } from '../domain/access-snapshot.js';
import type { LocalAccessStore, SnapshotSource } from './snapshot-ports.js';
import type { SnapshotSection, SnapshotSections } from './snapshot-section.js';

/** How long a call waits for a newer snapshot before it goes on with the one that is there. */
const PATIENCE_MS = 500;
/** How long a snapshot that could not be replaced is used before calls try again. */
const PAUSE_MS = 1000;

export interface SnapshotLimits {
  /** Organizations held at the same time; the one that was asked for longest ago makes room. */
  readonly organizations: number;
  /** After which time without confirmation protected calls fail closed. */
  readonly maxAgeMs: number;
}

/** How current a snapshot is. */
export interface SnapshotStatus {
  readonly organizationId: string;
  readonly version: number;
  readonly checksum: string;
  /** Since the database last confirmed it. Milliseconds. */
  readonly ageMs: number;
  /** Whether the database has a newer one that is not in force here. */
  readonly outdated: boolean;
}

interface Held {
  snapshot: AccessSnapshot;
  confirmedAt: number;
  outdated: boolean;
  /** Before this moment no call tries to replace it. */
  pausedUntil: number;
}

export interface SnapshotLog {
  log(message: string): void;
  error(message: string): void;
}

/**
 * The last known good of each organization that calls come for: loaded whole on first use, kept while a newer one cannot be
 * read or does not pass, and saved on the disk (decision record 0037).
 */
export class AccessSnapshots {
  /** In the order of use. */
  private readonly held = new Map<string, Held>();
  private readonly loading = new Map<string, Promise<void>>();
  private readonly underWay = new Set<Promise<void>>();
  private readsAhead = true;

  constructor(
    private readonly sections: SnapshotSections,
    private readonly source: SnapshotSource,
    private readonly local: LocalAccessStore,
    private readonly limits: SnapshotLimits,
    private readonly clock: Clock,
    private readonly log: SnapshotLog,
  ) {}

  /** Takes over what an earlier process saved, to be confirmed by the database. */
  async restore(): Promise<void> {
    for (const snapshot of await this.local.snapshots(this.limits.organizations)) {
      try {
        this.put({ ...snapshot, content: this.sections.validate(snapshot.content, snapshot.organizationId) }, true);
      } catch (error) {
        this.log.error(`the saved access snapshot of ${snapshot.organizationId} is not used: ${String(error)}`);
      }
    }
  }

  /**
   * A section of an organization; undefined when there is no such organization.
   * @throws Failure of the database when nothing is known of the organization.
   */
  async of<T>(organizationId: string, section: SnapshotSection<T>): Promise<T | undefined> {
    const held = this.touch(organizationId);
    if (held === undefined) await this.load(organizationId);
    else if (held.outdated && this.clock.now() >= held.pausedUntil)
      await this.withPatience(held, this.load(organizationId));
    return this.held.get(organizationId)?.snapshot.content[section.name] as T | undefined;
  }

  /**
   * For calls with a credential.
   * @throws Failure `upstream.unavailable` when what is known of the organization is too old to decide by.
   */
  assertCurrent(organizationId: string): void {
    if (this.isCurrent(organizationId)) return;
    throw new Failure('upstream.unavailable', { retryAfterMs: 2000, auditReason: 'access_snapshot_too_old' });
  }

  /** Whether what is known may still be decided by; also where nothing is known and the database was asked instead. */
  isCurrent(organizationId: string): boolean {
    const held = this.held.get(organizationId);
    return held === undefined || this.clock.now() - held.confirmedAt <= this.limits.maxAgeMs;
  }

  /** Something was changed: what is held is read again before it is used, if that is quick. */
  outdate(organizationId: string): void {
    const held = this.held.get(organizationId);
    if (held !== undefined) this.held.set(organizationId, { ...held, outdated: true, pausedUntil: 0 });
    this.loading.delete(organizationId); // it may have begun before the change
  }

  /** A change was announced: reads it at once. */
  async refresh(organizationId: string): Promise<void> {
    if (!this.held.has(organizationId)) return;
    this.outdate(organizationId);
    if (this.readsAhead) await this.load(organizationId).catch(() => undefined); // logged; the poll tries again
  }

  /**
   * The process is about to end: from now on nothing is read ahead of its use, and what is being read is waited for, so that no
   * read meets a closed database. Calls that are still answered read what they need.
   */
  async settle(): Promise<void> {
    this.readsAhead = false;
    await Promise.allSettled(this.underWay);
  }

  /** Compares what is held with the database, run every second: catches announcements that were missed. */
  async confirm(): Promise<void> {
    const asked = this.clock.now();
    const all = [...this.held]; // what is used or read meanwhile moves to the end: walked as it is, the map would never end
    const stamps = await this.source.stampsOf(all.map(([organizationId]) => organizationId));
    for (const [organizationId, held] of all) {
      if (this.held.get(organizationId) !== held) continue; // it has changed since it was asked about: the next time
      const stamp = stamps.get(organizationId);
      if (stamp !== undefined && sameStamp(stamp, held.snapshot.stamp)) this.confirmed(held, asked);
      else await this.refresh(organizationId);
    }
  }

  status(): readonly SnapshotStatus[] {
    const now = this.clock.now();
    return [...this.held.values()].map(({ snapshot, confirmedAt, outdated }) => {
      const { organizationId, stamp, checksum } = snapshot;
      return { organizationId, version: stamp.version, checksum, ageMs: now - confirmedAt, outdated };
    });
  }

  private confirmed(held: Held, at: number): void {
    held.confirmedAt = at;
    held.outdated = false;
  }

  private touch(organizationId: string): Held | undefined {
    const held = this.held.get(organizationId);
    if (held === undefined) return undefined;
    this.held.delete(organizationId);
    this.held.set(organizationId, held);
    return held;
  }

  /** Concurrent callers share one load. */
  private load(organizationId: string): Promise<void> {
    const running = this.loading.get(organizationId);
    if (running !== undefined) return running;
    const loading: Promise<void> = this.loadNow(
      organizationId,
      () => this.loading.get(organizationId) === loading,
    ).finally(() => {
      if (this.loading.get(organizationId) === loading) this.loading.delete(organizationId);
      this.underWay.delete(loading);
    });
    this.loading.set(organizationId, loading);
    this.underWay.add(loading);
    return loading;
  }

  private async loadNow(organizationId: string, isNewest: () => boolean): Promise<void> {
    const asked = this.clock.now();
    const known = this.held.get(organizationId);
    try {
      const loaded = await this.source.load(organizationId, this.sections.all);
      if (loaded === undefined) {
        this.drop(organizationId);
        return;
      }
      const snapshot = this.checked(organizationId, loaded, asked);
      this.put(snapshot, !isNewest());
      void this.save(snapshot);
    } catch (error) {
      if (known === undefined) throw error;
      known.pausedUntil = asked + PAUSE_MS;
      if (!(error instanceof Failure) || error.code !== 'upstream.unavailable')
        this.log.error(`the access snapshot of ${organizationId} stays as it was: ${String(error)}`);
      throw error;
    }
  }

  private async save(snapshot: AccessSnapshot): Promise<void> {
    await this.local.saveSnapshot(snapshot).catch((error: unknown) => {
      this.log.error(`the access snapshot of ${snapshot.organizationId} could not be saved: ${String(error)}`);
    });
  }

  private checked(
    organizationId: string,
    { stamp, content }: { readonly stamp: VersionStamp; readonly content: Readonly<Record<string, unknown>> },
    confirmedAt: number,
  ): AccessSnapshot {
    const valid = this.sections.validate(content, organizationId);
    return { organizationId, stamp, content: valid, checksum: checksumOf(encodeContent(valid)), confirmedAt };
  }

  private put(snapshot: AccessSnapshot, outdated: boolean): void {
    const { organizationId, confirmedAt, content } = snapshot;
    this.held.delete(organizationId);
    this.held.set(organizationId, { snapshot, confirmedAt, outdated, pausedUntil: 0 });
    this.sections.announce(organizationId, content);
    for (const [oldest] of this.held) {
      if (this.held.size <= this.limits.organizations) break;
      this.drop(oldest);
    }
  }

  private drop(organizationId: string): void {
    if (this.held.delete(organizationId)) this.sections.announce(organizationId, undefined);
  }

  /** Waits for a load, but not for long, and whatever comes of it: the calls after this one do not wait again. */
  private async withPatience(held: Held, work: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((done) => {
      timer = setTimeout(() => {
        held.pausedUntil = this.clock.now() + PAUSE_MS;
        done();
      }, PATIENCE_MS);
    });
    await Promise.race([work.catch(() => undefined), enough]);
    clearTimeout(timer);
  }
}
