/** A test machine has other work: what is promised in two seconds may be noticed there in six. How fast it is, benchmarks say. */
const ROOM = 3;

/**
 * The time in which a test must have seen what is promised in `promisedMs`.
 * @param promisedMs what the contract says, in milliseconds @returns milliseconds; enough for a busy machine, too little for what never comes
 */
export const withRoom = (promisedMs: number): number => ROOM * promisedMs;
