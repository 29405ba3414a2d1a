import { Failure } from '../../../kernel/failure/failure.js';
import type { TokenRefusal } from '../domain/token-refusal.js';

/** All refusals of tokens look alike outside; the true reason is for the audit trail. */
export const refusedToken = (auditReason: TokenRefusal): Failure =>
  new Failure('caller.credential_invalid', { auditReason });
