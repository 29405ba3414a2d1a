export { IdempotencyJobsModule, IdempotencyModule } from './idempotency.module.js';
