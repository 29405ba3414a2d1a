/**
 * Everything that the service stores, by what it is to the people whose data it holds. Closed: policies, holds, operations and
 * the public page speak of these; a table with none of them and no written exemption fails a test.
 */
export const RETENTION_CATEGORIES = {
  feed_file: 'Feed files as received, and the runs that read them',
  quarantined_row: 'Rows of feed files that were not published, with the reason',
  superseded_snapshot: 'Published inventory that a newer snapshot replaced',
  unit_event: 'Events of single vehicles: sold, price, removed',
  request_payload: 'Bodies of tool requests and answers',
  idempotency_record: 'Replies kept for repeated requests',
  session: 'Sign-ins, one-time codes, access and refresh tokens',
  audit_event: 'Records of who asked what, and of every change',
  audit_export: 'Exports of the audit trail, and what was sent to a SIEM',
  access_history: 'Keys, grants, delegations and agent clients that are over',
  approval: 'Who asked for, approved or denied an action',
  legal_hold: 'Legal holds, their notices and releases',
  privacy_request: 'Erasure and access requests, and what became of them',
  deletion_record: 'What was deleted, by which policy and approval',
  policy_version: 'Versions of dealer and retention policies, and of rooftop settings',
  lead: 'Leads and contact details of customers',
  consent: 'Consents, opt-outs and call records of customers',
} as const;

export type RetentionCategory = keyof typeof RETENTION_CATEGORIES;

/** When a record's time begins to count. Not every category knows every basis. */
export const CLOCK_BASES = ['created', 'last_used', 'closed', 'last_contact'] as const;
export type ClockBasis = (typeof CLOCK_BASES)[number];
