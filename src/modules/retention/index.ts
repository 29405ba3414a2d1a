export { RETENTION_RULES } from './app/retention-rules.js';
export type { RetentionRules } from './app/retention-rules.js';
export type * from './domain/retention-policy.js';
