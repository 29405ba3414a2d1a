import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { CategoryStorage, Exemption } from './category-storage.js';

const NOTHING = { isStored: false, clocks: [], actions: [], governed: [], exempt: {}, files: [] } as const;
const GUARDED = { isStored: true, actions: ['delete'], exempt: {}, files: [] } as const;

/**
 * Where everything that the service stores is (decision record 0045). The database is held against it: every table is here or
 * below, exactly once (test/integration/retention-catalogue.spec.ts).
 */
export const CATEGORY_CATALOGUE: Readonly<Record<RetentionCategory, CategoryStorage>> = {
  feed_file: {
    ...GUARDED,
    stored:
      'Every received file once for each content, outside the database; which feed brought it, when, and what came of it.',
    clocks: ['created', 'last_used'],
    governed: ['feed_files', 'feed_runs'],
    files: ['feed_file'],
  },
  quarantined_row: {
    ...GUARDED,
    stored: 'Line, reason, VIN and rooftop of every row that was not simply published; the row itself is in the file.',
    clocks: ['created', 'closed'],
    governed: ['feed_run_rows'],
  },
  superseded_snapshot: {
    ...GUARDED,
    stored: 'All vehicles of a rooftop as one file left them. The snapshot that is served is never disposed of.',
    clocks: ['created', 'closed'],
    governed: ['snapshots', 'units'],
  },
  unit_event: {
    ...GUARDED,
    stored:
      'Events of single vehicles as they came, what they say about vehicles, and what the dealer reviewed of them, until the rooftop serves these no longer.',
    clocks: ['created'],
    governed: ['discrepancy_reviews', 'unit_events', 'unit_overlays'],
  },
  request_payload: {
    ...NOTHING,
    stored:
      'Not stored: bodies of tool requests and answers are in no table and no log. The audit trail has ids alone.',
  },
  idempotency_record: {
    ...GUARDED,
    stored: 'Replies to writes under an idempotency key, without secrets, for a day; longer where a hold keeps them.',
    clocks: ['created'],
    governed: ['idempotency_keys'],
  },
  session: {
    ...GUARDED,
    stored:
      'One-time codes as keyed hashes; sign-ins, consents, codes and tokens of agents sealed, under hashes of their ids.',
    clocks: ['created', 'last_used', 'closed'],
    governed: ['staff_codes'],
    exempt: { authorization_records: 'working' },
  },
  audit_event: {
    ...GUARDED,
    stored: 'The audit trail: who asked what, and every change; and the tree by which anybody verifies it.',
    clocks: ['created'],
    actions: ['delete', 'redact'],
    governed: ['audit_events', 'hold_vault'],
    exempt: {
      audit_checkpoints: 'log',
      audit_cosignatures: 'log',
      audit_entries: 'log',
      audit_logs: 'log',
      audit_prunings: 'log',
      audit_redacted_records: 'log',
      audit_redactions: 'log',
      audit_tiles: 'log',
    },
  },
  audit_export: {
    ...GUARDED,
    stored: 'Exports of the trail with their files; where the trail and its daily statements are sent.',
    clocks: ['created', 'closed'],
    governed: [
      'audit_export_parts',
      'audit_exports',
      'audit_statements',
      'audit_stream_replays',
      'audit_streams',
      'audit_targets',
    ],
    files: ['audit_export'],
  },
  access_history: {
    ...GUARDED,
    stored:
      'Keys, grants, delegations, agent clients, issuers and persons. Those that are in force are never disposed of.',
    clocks: ['created', 'last_used', 'closed'],
    actions: ['delete', 'anonymise'],
    governed: [
      'agent_client_versions',
      'agent_clients',
      'api_key_versions',
      'api_keys',
      'grants',
      'group_delegations',
      'staff_person_versions',
      'staff_persons',
      'trusted_issuers',
    ],
    exempt: { revocations: 'derived' },
  },
  approval: {
    ...GUARDED,
    stored: 'Actions that waited for a second person, and what each person decided.',
    clocks: ['created', 'closed'],
    governed: ['approval_decisions', 'approvals'],
  },
  legal_hold: {
    ...GUARDED,
    stored: 'Holds, what each covered when it was counted, its notices, and where and how these were sent.',
    clocks: [],
    governed: [],
    exempt: {
      hold_notice_deliveries: 'evidence',
      hold_notice_targets: 'evidence',
      hold_notices: 'evidence',
      legal_hold_pages: 'evidence',
      legal_holds: 'evidence',
    },
  },
  privacy_request: {
    ...GUARDED,
    stored:
      'Requests for erasure and access, whom they are about sealed until they are done; files of access requests until they expire.',
    clocks: ['created', 'closed'],
    governed: ['privacy_request_parts', 'privacy_requests'],
    files: ['privacy_file'],
  },
  deletion_record: {
    ...GUARDED,
    stored:
      'Runs of retention, what each batch took, the records of what was deleted, and which files went with it: counts and hashes, no content.',
    clocks: [],
    governed: [],
    exempt: {
      deletion_records: 'evidence',
      file_removals: 'evidence',
      retention_batches: 'evidence',
      retention_halts: 'evidence',
      retention_runs: 'evidence',
      retention_standing_approvals: 'evidence',
    },
  },
  policy_version: {
    ...GUARDED,
    stored: 'Versions and drafts of dealer and retention policies, and of rooftop settings. The one in force stays.',
    clocks: ['created', 'closed'],
    governed: [
      'policy_drafts',
      'policy_versions',
      'retention_policy_drafts',
      'retention_policy_versions',
      'rooftop_settings_versions',
    ],
  },
  lead: { ...NOTHING, stored: 'Not stored: no offered operation takes contact details of customers.' },
  consent: { ...NOTHING, stored: 'Not stored: no offered operation takes consents, opt-outs or call records.' },
};

/** Tables that are of no category. */
export const TABLES_OF_NO_CATEGORY: Readonly<Record<string, Exemption>> = {
  _prisma_migrations: 'machinery',
  access_versions: 'derived',
  audit_horizon: 'machinery',
  audit_spools: 'machinery',
  dpop_proofs: 'machinery',
  feeds: 'organization',
  governed_tables: 'machinery',
  inventory_versions: 'derived',
  organization_states: 'organization',
  organizations: 'organization',
  restore_journal_entries: 'machinery',
  restore_journal_noted: 'machinery',
  restore_journal_owed: 'machinery',
  restore_journal_segments: 'machinery',
  rooftop_inventory: 'organization',
  rooftop_transfers: 'organization',
  rooftops: 'organization',
  subject_places: 'machinery',
};
