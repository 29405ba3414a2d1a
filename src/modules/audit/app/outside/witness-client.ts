/** What came back from a witness: its own answer, or why there was none (a code). */
export type WitnessReply = { readonly status: number; readonly body: string } | { readonly unreachable: string };

/** Port: asks a witness to sign a state (C2SP tlog-witness). Never throws. */
export interface WitnessClient {
  /** @param address submission prefix of the witness */
  addCheckpoint(address: string, body: string): Promise<WitnessReply>;
}
