import { parseRfc3339 } from '../../../../../kernel/time.js';
import type { SourceField } from '../profile/feed-profile.js';
import type { RowContext } from './row-context.js';
import type { RowDraft } from './row-draft.js';

/** What has happened cannot lie ahead (DAP-CSV-002). */
export function refuseFuture(at: string | undefined, context: RowContext, draft: RowDraft, field: SourceField): void {
  const ms = at === undefined ? undefined : parseRfc3339(at);
  if (ms !== undefined && ms > context.observedUntil) draft.problem('date_invalid', field);
}
