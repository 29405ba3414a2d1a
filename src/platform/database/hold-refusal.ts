/** What the guard of legal holds refused (guard_holds, migrations 19 and 22). */
export interface HoldRefusal {
  readonly holdId: string;
  /** Undefined while the hold is counted: then no table's rows may go. */
  readonly table: string | undefined;
}

/** The words of guard_holds; nothing else in the database speaks like this. */
const WORDS = /\bhold ([a-z0-9][a-z0-9._-]*) (?:covers a record of (\w+)|is being counted)/;

interface Link {
  readonly message?: unknown;
  readonly originalMessage?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** What the guard said: in PostgreSQL's own error, or in what Prisma makes of it. Undefined for any other error. */
export function holdRefusalOf(error: unknown, depth = 0): HoldRefusal | undefined {
  if (typeof error !== 'object' || error === null || depth > 5) return undefined;
  const { message, originalMessage, cause, meta } = error as Link;
  for (const text of [message, originalMessage]) {
    const said = typeof text === 'string' ? WORDS.exec(text) : null;
    if (said?.[1] !== undefined) return { holdId: said[1], table: said[2] };
  }
  return holdRefusalOf(cause, depth + 1) ?? holdRefusalOf(meta?.driverAdapterError, depth + 1);
}
