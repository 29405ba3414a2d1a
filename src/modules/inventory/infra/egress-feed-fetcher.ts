import { LIMITS } from '../../../kernel/limits.js';
import type { EgressAnswer, EgressClient } from '../../../platform/egress/egress-client.js';
import { EgressRefused } from '../../../platform/egress/egress-refused.js';
import type { FetchState } from '../app/feed.js';
import type { FeedFetcher, FetchedFile } from '../app/feed-fetcher.js';
import { FetchFailed } from '../app/feed-fetcher.js';

const NAME_CHARACTERS = 200;
const VALIDATOR_CHARACTERS = 512;

/** Fetches feed files over HTTPS through the egress guard, asking only for what changed. */
export class EgressFeedFetcher implements FeedFetcher {
  constructor(
    private readonly egress: EgressClient,
    private readonly timeoutMs: number = LIMITS.pullTimeoutMs.value,
    private readonly maxBytes: number = LIMITS.uploadBytes.value,
  ) {}

  async fetch(url: string, known: FetchState): Promise<FetchedFile> {
    const answer = await this.get(url, known);
    if (answer.status === 200)
      return { kind: 'file', name: nameOf(answer.url), chunks: chunksOf(answer), state: validatorsOf(answer) };
    await answer.discard();
    if (answer.status === 304) return { kind: 'not_modified' };
    throw new FetchFailed(`http_${answer.status}`);
  }

  private async get(url: string, known: FetchState): Promise<EgressAnswer> {
    const headers = {
      'user-agent': 'Forecourt-feed-fetcher',
      ...(known.etag === undefined ? {} : { 'if-none-match': known.etag }),
      ...(known.last_modified === undefined ? {} : { 'if-modified-since': known.last_modified }),
    };
    try {
      return await this.egress.get({
        url,
        headers,
        maxRedirects: LIMITS.pullRedirects.value,
        maxBytes: this.maxBytes,
        timeoutMs: this.timeoutMs,
      });
    } catch (error) {
      throw failedOf(error);
    }
  }
}

async function* chunksOf(answer: EgressAnswer): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* answer.body;
  } catch (error) {
    throw failedOf(error);
  }
}

function failedOf(error: unknown): unknown {
  return error instanceof EgressRefused ? new FetchFailed(error.reason, error) : error;
}

function nameOf(url: URL): string {
  const name = url.pathname.split('/').at(-1) ?? '';
  return name === '' ? url.hostname : name.slice(0, NAME_CHARACTERS);
}

function validatorsOf({ headers }: EgressAnswer): FetchState {
  const { etag, 'last-modified': lastModified } = headers;
  return {
    ...(typeof etag === 'string' && etag.length <= VALIDATOR_CHARACTERS ? { etag } : {}),
    ...(typeof lastModified === 'string' && lastModified.length <= VALIDATOR_CHARACTERS
      ? { last_modified: lastModified }
      : {}),
  };
}
