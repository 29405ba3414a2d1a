import type { Static } from '@sinclair/typebox';
import type { Freshness, FreshnessState, Provenance, Source } from '../../../../kernel/schema/dap-common.js';
import { rfc3339 } from '../../../../kernel/time.js';
import type { RowSource } from './vehicle-context.js';

const SOURCE_NAME_CHARACTERS_MAX = 128;

export type RowFreshness = Static<typeof Freshness>;

/** The received row as a source, observed at an RFC 3339 time: a feed speaks for its dealer and is never authoritative (DAP-CSV-001). */
export function rowSource(source: RowSource, observedAt: string): Static<typeof Source> {
  return {
    source_name: bounded(source.feedName),
    source_record_id: `line:${source.line}`,
    authority: 'dealer_asserted',
    observed_at: observedAt,
  };
}

/**
 * Provenance of a whole record: the row, with the digest of the file it stands in, and the event that set its price, if one
 * did. The record is as fresh as its row, which all else is from.
 */
export function recordProvenance(source: RowSource, observedAt: string, pricedAt?: number): Static<typeof Provenance> {
  const row = { ...rowSource(source, observedAt), content_digest: `sha256:${source.sha256}` };
  return { sources: pricedAt === undefined ? [row] : [row, eventSource(pricedAt)], authority_status: 'asserted' };
}

/** A single-unit event as the source of a price, which happened at some millisecond: the dealer's word, like a row. */
export function eventSource(at: number): Static<typeof Source> {
  return { source_name: 'unit event', authority: 'dealer_asserted', observed_at: rfc3339(at) };
}

/** Provenance of one fact inside a record, which itself names the file's digest. */
export function factProvenance(source: RowSource, observedAt: string): Static<typeof Provenance> {
  return { sources: [rowSource(source, observedAt)], authority_status: 'asserted' };
}

/** How long what a row says stays current, observed at some millisecond; `state` is last, where the read model writes it. */
export function rowFreshness(observedAt: number, slaSeconds: number, state: FreshnessState): RowFreshness {
  return {
    observed_at: rfc3339(observedAt),
    valid_until: rfc3339(observedAt + slaSeconds * 1000),
    max_age_seconds: slaSeconds,
    state,
  };
}

/** Cut by characters, as JSON Schema counts them, never inside one. */
function bounded(name: string): string {
  if (name.length <= SOURCE_NAME_CHARACTERS_MAX) return name;
  return Array.from(name).slice(0, SOURCE_NAME_CHARACTERS_MAX).join('');
}
