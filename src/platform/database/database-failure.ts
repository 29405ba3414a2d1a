import { Failure } from '../../kernel/failure/failure.js';
import { holdRefusalOf } from './hold-refusal.js';

const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '53300',
]);
const BUSY = /timeout exceeded when trying to connect|Unable to start a transaction in the given time|P2028|P2024/;
const GONE =
  /Connection terminated|server closed the connection|connect ECONNREFUSED|terminating connection|P1001|P1017|not queryable/i;

/**
 * Tells an absent or exhausted database, and the refusal of the guard of legal holds, from a defect. Anything else comes back
 * unchanged.
 * Prisma hides the SQLSTATE in messages and nested causes, hence the patterns.
 */
export function databaseFailure(error: unknown): unknown {
  if (error instanceof Failure) return error;
  const text = describe(error);
  if (BUSY.test(text)) return new Failure('limit.busy', { cause: error, retryAfterMs: 1000 });
  if (GONE.test(text) || AWAY.has(codeOf(error)))
    return new Failure('upstream.unavailable', { cause: error, retryAfterMs: 2000 });
  const held = holdRefusalOf(error);
  if (held !== undefined)
    return new Failure('input.held', { reason: 'held', auditReason: `held_by:${held.holdId}`, cause: error });
  return error;
}

/** What becomes of work that needs the database while it is known to be away. */
export const databaseAway = (): Failure =>
  new Failure('upstream.unavailable', { retryAfterMs: 2000, auditReason: 'database_away' });

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function describe(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    parts.push(codeOf(current), current.message);
    current = current.cause;
  }
  return parts.join(' ');
}
