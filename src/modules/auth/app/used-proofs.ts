/** Port: proofs of possession that any process has accepted. */
export interface UsedProofs {
  /**
   * Takes a proof once until a moment, in milliseconds.
   * @param digest of what tells the proof from all others, 32 bytes
   * @returns false where it was taken before.
   * @throws Failure `upstream.unavailable` or `limit.busy` when that cannot be known: the proof then counts nowhere.
   */
  takeOnce(digest: Buffer, until: number): Promise<boolean>;
}
