/** What the command line ends with (README, «Command line»). */
export const EXIT = {
  done: 0,
  /** The input was readable and something in it is not as it should be: quarantined rows, a held run. */
  findings: 1,
  /** Wrong words on the command line, or a file that cannot be read as a feed. */
  usage: 2,
  /** The service or its database could not do it. */
  failed: 3,
} as const;

/** Ends a command with an exit code and a message for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}
