/** Port: where segments lie. An implementation on an object store would keep each line as an object; there is none yet. */
export interface JournalStorage {
  /** Creates a segment with its first line. @throws Error when that is not durable. */
  create(segmentId: string, head: string): Promise<SegmentWriter>;
  /** Ids of all segments, oldest first. @throws Error when the folder cannot be read. */
  list(): Promise<readonly string[]>;
  /** The whole segment. @throws Error when it cannot be read. */
  read(segmentId: string): Promise<Buffer>;
  /** The last bytes of a segment, at most `bytes` of them, and whether that is all of it. */
  tail(segmentId: string, bytes: number): Promise<{ readonly bytes: Buffer; readonly whole: boolean }>;
}

/** A segment that one process writes. */
export interface SegmentWriter {
  /**
   * Resolves when the lines are durable.
   * @throws Error when they are not; then none of them is in the segment.
   */
  append(lines: readonly string[]): Promise<void>;
  /** Takes nothing more: the disk failed in a way that could not be undone. */
  readonly broken: boolean;
  close(): Promise<void>;
}
