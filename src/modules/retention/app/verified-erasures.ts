import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { VerifiedErasure } from '../domain/decide.js';

/** Port: erasure requests that were verified. */
export interface VerifiedErasures {
  /** Those that name one of these subjects, as records name them. */
  naming(tx: TenantTransaction, subjects: readonly string[]): Promise<readonly VerifiedErasure[]>;
}

/** Nobody need provide it: without privacy requests there are none. */
export const VERIFIED_ERASURES = Symbol('VerifiedErasures');
