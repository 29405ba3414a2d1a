import type { RevocableKind } from '../../../kernel/ports/revocations.js';
import type { AccessSnapshot, VersionStamp } from '../domain/access-snapshot.js';
import type { SnapshotSection } from './snapshot-section.js';

/** Port: snapshots as the database has them now. */
export interface SnapshotSource {
  /** All sections of one moment; undefined when there is no such organization. @throws Failure of the database. */
  load(
    organizationId: string,
    sections: readonly SnapshotSection<unknown>[],
  ): Promise<{ readonly stamp: VersionStamp; readonly content: Readonly<Record<string, unknown>> } | undefined>;
  /** The current versions; organizations that there are none of are left out. @throws Failure of the database. */
  stampsOf(organizationIds: readonly string[]): Promise<ReadonlyMap<string, VersionStamp>>;
}

/** Something that was ended; with null it was taken back. Times are milliseconds. */
export interface Revocation {
  readonly organizationId: string;
  readonly kind: RevocableKind;
  readonly id: string;
  readonly revokedAt: number | null;
}

/** Port: revocations as the database has them. */
export interface RevocationSource {
  /**
   * What was noted after the horizon of an earlier call; without one, lately.
   * @throws Failure of the database.
   */
  since(
    horizon: string | undefined,
  ): Promise<{ readonly horizon: string; readonly revocations: readonly Revocation[] }>;
}

/** Port: keeps what is known on the local disk, encrypted, for a process that starts anew. */
export interface LocalAccessStore {
  saveSnapshot(snapshot: AccessSnapshot): Promise<void>;
  /** The newest snapshots, at most so many. What cannot be read is reported and left out. */
  snapshots(most: number): Promise<readonly AccessSnapshot[]>;
  saveRevocations(revocations: readonly Revocation[]): Promise<void>;
  revocations(): Promise<readonly Revocation[]>;
}
