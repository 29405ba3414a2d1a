/**
 * Every fixed number of the product: its unit, its bound and why. What an operator may change is in platform/config and
 * refers to these as defaults. docs/reference/limits.md is generated from this table.
 */
export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly why: string;
}

export const LIMITS = {
  requestBodyBytes: {
    value: 1_048_576,
    unit: 'bytes',
    why: 'Largest JSON body of a protocol or admin request; the DAP reference uses the same.',
  },
  jsonDepth: { value: 64, unit: 'levels', why: 'Deeper JSON is refused before validation (DAP security profile §9).' },
  rooftopIdsPerRequest: {
    value: 500,
    unit: 'items',
    why: 'DAP gives rooftop_ids no bound; a group has a few hundred rooftops.',
  },
  filterValues: {
    value: 50,
    unit: 'items',
    why: 'DAP gives filter arrays no bound; more values than this is a script, not a shopper.',
  },
  searchPageMax: { value: 100, unit: 'vehicles', why: 'DAP pageRequest.limit maximum.' },
  searchPageDefault: { value: 25, unit: 'vehicles', why: 'A page that a language model can read whole.' },
  searchTokens: { value: 8, unit: 'words', why: 'Words of a free-text query that are evaluated; more are refused.' },
  facetValues: { value: 100, unit: 'values', why: 'Most frequent values of a facet that are listed.' },
  cursorLifetimeSeconds: {
    value: 900,
    unit: 'seconds',
    why: 'DAP-SEC-006 asks for an expiry; a shopper pages within minutes.',
  },
  manifestLifetimeSeconds: { value: 3600, unit: 'seconds', why: 'Validity window of one manifest instance.' },
  retryAfterMsMax: { value: 86_400_000, unit: 'milliseconds', why: 'DAP error schema: retry_after_ms maximum.' },
  retryAfterMsDefault: {
    value: 1000,
    unit: 'milliseconds',
    why: 'Hint of a retryable failure that knows no better (ops contract default).',
  },
  uploadBytes: {
    value: 524_288_000,
    unit: 'bytes',
    why: 'Largest feed file; the largest group files seen are about 200 MB.',
  },
  feedCellCharacters: { value: 65_536, unit: 'characters', why: 'Longest cell; longer ones are quarantined, not cut.' },
  feedRecordBytes: {
    value: 1_048_576,
    unit: 'characters',
    why: 'Longest record of any codec; bounds memory under an unclosed quote or element.',
  },
  feedBatchRows: { value: 1000, unit: 'rows', why: 'Rows per insert statement of an import.' },
  feedFeatures: { value: 200, unit: 'items', why: 'Features kept of a unit (DAP allows 500).' },
  feedMedia: { value: 100, unit: 'items', why: 'Media kept of a unit (DAP allows 500).' },
  feedDescriptionCharacters: {
    value: 5000,
    unit: 'characters',
    why: 'Description text kept of a unit; never published over DAP.',
  },
  futureSkewSeconds: {
    value: 300,
    unit: 'seconds',
    why: 'How far in the future an observation may lie before it is refused (DAP-CSV-002).',
  },
  pullRedirects: {
    value: 3,
    unit: 'redirects',
    why: 'Redirects a feed pull follows; each target passes the egress guard again.',
  },
  pullTimeoutMs: { value: 120_000, unit: 'milliseconds', why: 'Whole time of a feed pull.' },
  sourceAnswerBytes: { value: 16_384, unit: 'bytes', why: 'Largest answer of an availability source: three members.' },
  sourceSkewSeconds: {
    value: 5,
    unit: 'seconds',
    why: 'How far ahead of our clock an availability source may have observed; further ahead it is refused.',
  },
  sourceFailures: {
    value: 5,
    unit: 'failures',
    why: 'Failures in a row after which an availability source is left alone.',
  },
  sourcePauseMs: {
    value: 10_000,
    unit: 'milliseconds',
    why: 'How long a failing availability source is left alone before one call tries again.',
  },
  sourceRetryMs: {
    value: 2000,
    unit: 'milliseconds',
    why: 'Retry hint after an availability source gave no usable answer.',
  },
  unverifiableRetryMs: {
    value: 3_600_000,
    unit: 'milliseconds',
    why: 'Retry hint where a rooftop has no authoritative source: only its settings can change that.',
  },
  runLeaseSeconds: {
    value: 20,
    unit: 'seconds',
    why: 'How long a dead worker keeps a feed run before another may take it.',
  },
  auditFlushRows: { value: 500, unit: 'rows', why: 'Most audit records of one group commit.' },
  auditGatherMs: {
    value: 2,
    unit: 'milliseconds',
    why: 'Shortest time between two group commits; an idle recorder commits at once.',
  },
  auditQueueRows: {
    value: 20_000,
    unit: 'rows',
    why: 'Audit records waiting for a commit before callers are refused.',
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;
