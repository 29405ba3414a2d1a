import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { prismaOf } from '../../../platform/database/prisma-unit-of-work.js';
import type { Redaction, RedactionStore, RequestedRedaction } from '../app/redaction-store.js';

/** Records that one transaction erases: a few seconds. */
const MOST = 50_000;

/** Erases through the one function that may (migration 17). */
export class PrismaRedactionStore implements RedactionStore {
  async count(tx: TenantTransaction, { eventId, scope }: RequestedRedaction): Promise<number> {
    const [found] = await prismaOf(tx).$queryRaw<{ records: number }[]>`
      SELECT count(*)::integer AS records FROM audit_events e
      JOIN (SELECT recorded_at, event_id, actor, client FROM audit_events
            WHERE organization_id = current_tenant() AND event_id = ${eventId} AND nonce IS NOT NULL ORDER BY recorded_at LIMIT 1) named
        ON CASE ${scope} WHEN 'actor' THEN e.actor = named.actor WHEN 'client' THEN e.client = named.client
             ELSE (e.recorded_at, e.event_id) = (named.recorded_at, named.event_id) AND coalesce(e.actor, e.client) IS NOT NULL END
      WHERE e.organization_id = current_tenant() AND e.nonce IS NOT NULL`;
    return found?.records ?? 0;
  }

  async redact(
    tx: TenantTransaction,
    redactionId: string,
    { eventId, scope, ground }: RequestedRedaction,
  ): Promise<Redaction | undefined> {
    const [taken] = await prismaOf(tx).$queryRaw<{ records: number; content_hash: string; more: boolean | null }[]>`
      SELECT * FROM redact_audit_values(${redactionId}, ${eventId}, ${scope}, ${ground}, ${MOST})`;
    if (taken === undefined) return undefined;
    const tables = await prismaOf(tx).$queryRaw<{ name: string }[]>`
      SELECT DISTINCT 'audit_events_' || to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY_MM') AS name FROM audit_redacted_records
      WHERE redaction_id = ${redactionId} ORDER BY 1`;
    return {
      ...{ redactionId, records: taken.records, contentHash: taken.content_hash, more: taken.more === true },
      tables: tables.map(({ name }) => name),
    };
  }
}
