/** Places that need nothing but the catalogue: what repeats data that is elsewhere. */
export const COPIES = ['idempotency_keys', 'approval_summaries'];

/** Rows that name who acted by an id that says nothing by itself any more; they stay. */
export const PROOFS = [
  'approvals',
  'approval_decisions',
  'discrepancy_reviews',
  'policy_versions',
  'policy_drafts',
  'retention_policy_versions',
  'retention_policy_drafts',
  'rooftop_settings_versions',
  'rooftop_transfers',
  'organization_states',
  'retention_runs',
  'retention_standing_approvals',
  'legal_holds',
  'hold_notices',
];
