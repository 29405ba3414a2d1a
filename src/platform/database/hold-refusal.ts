/** The words of guard_holds (migrations 19 and 22); nothing else in the database speaks like this. */
const WORDS = /\bhold [a-z0-9][a-z0-9._-]* (?:covers a record of|is being counted)\b/;

interface Link {
  readonly message?: unknown;
  readonly originalMessage?: unknown;
  readonly constraint?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** Whether the guard of legal holds refused the statement: PostgreSQL's own error, or what Prisma makes of it. */
export function isHoldRefusal(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false;
  const { message, originalMessage, constraint, cause, meta } = error as Link;
  const name = (constraint as { index?: unknown } | null | undefined)?.index ?? constraint;
  return (
    name === 'legal_hold' ||
    [message, originalMessage].some((text) => typeof text === 'string' && WORDS.test(text)) ||
    isHoldRefusal(cause, depth + 1) ||
    isHoldRefusal(meta?.driverAdapterError, depth + 1)
  );
}
