import { hash } from 'node:crypto';
import { LIMITS } from '../../../../../kernel/limits.js';
import type { ListedUnit } from '../../listed-unit.js';
import type { FeedRecord, ReadRecord } from '../codec/feed-record.js';
import type { QuarantinedRow, RowOutcome, RowProblem, WithheldReason } from '../row-outcome.js';
import { readAppearance } from './read-appearance.js';
import { readAvailability } from './read-availability.js';
import { readCondition } from './read-condition.js';
import { readDisclosure } from './read-disclosure.js';
import { readFoldedOffers } from './read-folded-offers.js';
import { readHistory } from './read-history.js';
import { readIdentity } from './read-identity.js';
import { readMedia } from './read-media.js';
import { readOdometer } from './read-odometer.js';
import { readPrices } from './read-prices.js';
import { readTimes } from './read-times.js';
import { readUsedFacts } from './read-used-facts.js';
import type { RowContext } from './row-context.js';
import { RowDraft } from './row-draft.js';
import type { RowView } from './row-view.js';

/** Strongest reason first: a wholesale unit without a price is withheld because it is wholesale. */
const WITHHELD_ORDER: readonly WithheldReason[] = ['not_retail', 'sold', 'unavailable', 'price_unknown'];

/**
 * Turns one record into a unit in our vocabulary, or into a quarantined row with all of its problems at once. Pure: the
 * same record, settings and time of receipt give the same outcome.
 */
export function normaliseRow(record: FeedRecord, view: RowView, context: RowContext): RowOutcome {
  if ('spoilt' in record)
    return { kind: 'quarantined', at: record.at, reason: record.spoilt, problems: [{ reason: record.spoilt }] };
  view.load(record.cells);
  const draft = new RowDraft(view);
  readAll(record, view, context, draft);
  const [first, ...others] = draft.problems;
  if (first !== undefined) return quarantined(record, draft, [first, ...others]);
  const withheld = WITHHELD_ORDER.find((reason) => draft.withheld.has(reason));
  return {
    kind: 'unit',
    at: record.at,
    // Every member that a ListedUnit must have is set by a step or has left a problem.
    unit: draft.unit as ListedUnit,
    ...(withheld === undefined ? {} : { withheld }),
    flags: draft.flags,
    columns: view.columnMap(),
    fingerprint: hash('sha256', record.identity, 'base64url'),
  };
}

function readAll(record: ReadRecord, view: RowView, context: RowContext, draft: RowDraft): void {
  const limit = LIMITS.feedCellCharacters.value;
  if (record.size > limit && record.cells.some((cell) => cell.length > limit)) {
    draft.problem('text_too_long');
    return;
  }
  readIdentity(view, context, draft);
  readCondition(view, context, draft);
  const currency = readPrices(view, context, draft);
  readDisclosure(view, draft, currency);
  readFoldedOffers(view, context, draft, currency);
  readOdometer(view, context, draft);
  readAvailability(view, context, draft);
  readTimes(view, context, draft);
  readMedia(view, context, draft);
  readHistory(view, context, draft);
  readUsedFacts(view, context, draft);
  readAppearance(view, draft);
}

function quarantined(
  record: ReadRecord,
  draft: RowDraft,
  problems: readonly [RowProblem, ...RowProblem[]],
): QuarantinedRow {
  const { rooftopId, vin } = draft.unit;
  return {
    kind: 'quarantined',
    at: record.at,
    reason: problems[0].reason,
    problems,
    ...(rooftopId === undefined ? {} : { rooftopId }),
    ...(vin === undefined ? {} : { vin }),
  };
}
