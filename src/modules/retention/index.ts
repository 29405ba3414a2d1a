export { RETENTION_RULES } from './app/retention-rules.js';
export type { RetentionRules } from './app/retention-rules.js';
export type {
  Period,
  PolicyState,
  RetentionPolicyVersion,
  RetentionRule,
  RooftopTightening,
  RulesInForce,
} from './domain/retention-policy.js';
export { cutoffsOf } from './domain/cutoffs-of.js';
export type {
  DecisionTime,
  RetainedRecord,
  RetentionDecision,
  RetentionReason,
  VerifiedErasure,
} from './domain/decide.js';
export { decide, isDue } from './domain/decide.js';
export type { Coverable, HoldInForce, HoldScope } from './domain/hold-coverage.js';
export { holdBinds, holdCovers } from './domain/hold-coverage.js';
export { RetentionModule } from './retention.module.js';
export { RetentionAdminModule } from './retention-admin.module.js';
export type { VerifiedErasures } from './app/verified-erasures.js';
export { VERIFIED_ERASURES } from './app/verified-erasures.js';
export { PublishedRetention } from './app/published-retention.js';
export { CATEGORY_CATALOGUE } from './domain/category-catalogue.js';
