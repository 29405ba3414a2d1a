/**
 * The SQLSTATE with which the database refused a statement; undefined for any other error. Prisma keeps it two causes deep, the
 * plain driver has it on the error itself.
 */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, meta } = error as {
    readonly code?: unknown;
    readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } };
  };
  const state = meta?.driverAdapterError?.cause?.originalCode ?? code;
  return typeof state === 'string' && /^[0-9A-Z]{5}$/.test(state) ? state : undefined;
}
