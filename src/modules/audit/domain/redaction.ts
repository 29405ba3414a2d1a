import { hash } from 'node:crypto';

/** Operation of the audit record that a redaction leaves. */
export const REDACTED_OPERATION = 'audit.redacted';

/** Why erasable values may go. The list is closed. */
export const REDACTION_GROUNDS = ['erasure_request', 'recorded_in_error', 'court_order'] as const;
export type RedactionGround = (typeof REDACTION_GROUNDS)[number];

/** The ground of what the retention policy redacts, which nobody asks for: runs carry it out (decision record 0059). */
export const POLICY_GROUND = 'retention_policy';

/** Whose values go: those of one record, or of all records that have the same actor or client as that one. */
export const REDACTION_SCOPES = ['record', 'actor', 'client'] as const;
export type RedactionScope = (typeof REDACTION_SCOPES)[number];

/** A record whose erasable values are gone, and which of them it had. */
export interface RedactedRecord {
  readonly eventId: string;
  readonly fields: readonly string[];
}

/**
 * What the record of a redaction has as its hash of what came after, hex. SQL `redact_audit_values` computes the same.
 * @param records in the order of their event ids
 */
export function redactionHash(ground: string, records: readonly RedactedRecord[]): string {
  const lines = records.map(({ eventId, fields }) => `${eventId} ${fields.join(',')}`);
  return hash('sha256', [ground, ...lines].join('\n'), 'hex');
}
