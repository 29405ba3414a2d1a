/**
 * The bytes of a received file. `chunks` opens it from the start and may be called again: choosing the encoding and reading
 * JSON side tables need passes of their own, and none of them may hold the file in memory.
 */
export interface FeedBytes {
  chunks(): AsyncIterable<Uint8Array>;
}
