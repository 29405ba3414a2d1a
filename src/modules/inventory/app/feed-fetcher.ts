import type { FetchState } from './feed.js';

export type FetchedFile =
  | { readonly kind: 'not_modified' }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly chunks: AsyncIterable<Uint8Array>;
      readonly state: FetchState;
    };

/** Why a fetch brought nothing. A closed word, fit for a report. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';

  constructor(
    readonly reason: string,
    cause?: unknown,
  ) {
    super(`the feed could not be fetched: ${reason}`, { cause });
  }
}

/** Port: fetches a feed file from where its owner publishes it. */
export interface FeedFetcher {
  /**
   * Asks for what changed since `known`. The chunks must be read to their end or their iterator closed.
   * @throws FetchFailed, also while the chunks are read.
   */
  fetch(url: string, known: FetchState): Promise<FetchedFile>;
}
