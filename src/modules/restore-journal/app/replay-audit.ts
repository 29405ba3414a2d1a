import { newRequestId, PLATFORM_TENANT, traceIdOfRequest } from '../../../kernel/ids.js';
import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { JournalEntry } from '../../../kernel/ports/restore-journal.js';

/** The record of one entry that was done again; without an entry that of the whole, in the platform's trail. Ids only. */
export function auditReplay(entry: JournalEntry | undefined, now: number, operation = 'restore.replay'): AuditRecord {
  const eventId = newRequestId();
  return {
    eventId,
    traceId: traceIdOfRequest(eventId),
    occurredAt: now,
    organizationId: entry?.organizationId ?? PLATFORM_TENANT,
    surface: 'command',
    operation,
    profile: null,
    actorKind: 'system',
    actor: 'forecourt restore',
    client: null,
    rooftopIds: [],
    resourceIds: entry === undefined ? [] : [idOf(entry)],
    decision: 'allow',
    reason: null,
    policyVersion: null,
    outcome: 'succeeded',
    failureCode: null,
    purpose: null,
  };
}

function idOf(entry: JournalEntry): string {
  if (entry.kind === 'erasure') return `${entry.kind}/${entry.requestId}`;
  return entry.kind === 'revocation' ? `${entry.content.what}/${entry.content.id}` : `${entry.kind}/${entry.holdId}`;
}
