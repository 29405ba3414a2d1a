import type { FullTile } from '../domain/log/tiles.js';

/** A log that has grown beyond its newest checkpoint, or whose checkpoint is due again. */
export interface DueLog {
  readonly organizationId: string;
  /** Leaves in the log. */
  readonly size: number;
}

/** A signed state of a log. */
export interface SignedCheckpoint {
  readonly size: number;
  readonly root: Uint8Array;
  /** The signed note. */
  readonly note: string;
}

/** One organization's log inside a transaction. Leaves and full tiles never change. */
export interface OpenLog {
  /** Leaves that the newest checkpoint covers; 0 before the first one. */
  checkpointedSize(): Promise<number>;
  /** `count` hashes of a tile level, side by side, from `start` on. */
  hashes(tileLevel: number, start: number, count: number): Promise<Buffer>;
  /** Hash of the newest entry of the restore journal about this organization; undefined where it has none. */
  journalMark(): Promise<string | undefined>;
  newestCheckpoint(): Promise<SignedCheckpoint | undefined>;
  /** The newest checkpoint of exactly this size. */
  checkpointOf(size: number): Promise<SignedCheckpoint | undefined>;
  /** A record by its id; `seq` is absent until it has been numbered, `path` is there where the record is vaulted (VaultPlace). */
  findRecord(
    eventId: string,
  ): Promise<{ readonly canon: string; readonly seq?: number; readonly path?: Buffer } | undefined>;
  addTiles(tiles: readonly FullTile[]): Promise<void>;
  addCheckpoint(checkpoint: SignedCheckpoint): Promise<void>;
}

/** Port: the numbered, hashed form of the audit trail. */
export interface AuditLogStore {
  /**
   * Gives committed records their places, about `limit` of them. Safe to call from any number of processes.
   * @returns how many, or `busy` while another process is at it.
   */
  sequence(limit: number): Promise<number | 'busy'>;
  /** @param heartbeatMs age from which a checkpoint is signed again although nothing happened */
  due(heartbeatMs: number): Promise<readonly DueLog[]>;
  /** Works on one log in one transaction. */
  withLog<T>(organizationId: string, work: (log: OpenLog) => Promise<T>): Promise<T>;
}
