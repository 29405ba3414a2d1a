import type { FeedProblem } from '../domain/feed/feed-problem.js';
import type { StagedFeed } from './stage-feed.js';

export interface ImportCounts {
  /** Offered units by rooftop, carried-over ones included. */
  readonly offered: Readonly<Record<string, number>>;
  /** What was offered before, by rooftop. */
  readonly previous: Readonly<Record<string, number>>;
  readonly carriedOver: number;
}

/** The report of a run as it is stored and shown. */
export function importReport(
  { profile, encoding, tally }: StagedFeed,
  counts: ImportCounts,
): Readonly<Record<string, unknown>> {
  return {
    profile,
    encoding,
    rows: tally.rows,
    publishable: tally.publishable,
    withheld: tally.withheld,
    withheld_by_reason: tally.withheldBy,
    collapsed: tally.collapsed,
    quarantined: tally.quarantined,
    quarantined_by_reason: tally.quarantinedBy,
    flags: tally.flags,
    carried_over: counts.carriedOver,
    offered_by_rooftop: counts.offered,
    previously_offered_by_rooftop: counts.previous,
  };
}

/** The report of a file that cannot be read as a whole. */
export function problemReport({ problem, where }: FeedProblem): Readonly<Record<string, unknown>> {
  return { problem, ...where };
}
