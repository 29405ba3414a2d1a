/** What a scope of an API key may name: an operation, or the category that operations share (ops contract, `forbidden_scope`). */
export const KEY_SCOPE_PATTERN = '^(?:op|category):[a-z][a-z0-9_.-]{0,99}$';

const PROTOCOL_PREFIX = 'dealeragent.';

/**
 * The category of an operation: what its name begins with. `feeds.create` is of `feeds`, `dealeragent.inventory.search` of
 * `inventory`.
 */
export function categoryOf(operation: string): string {
  const name = operation.startsWith(PROTOCOL_PREFIX) ? operation.slice(PROTOCOL_PREFIX.length) : operation;
  return name.split('.', 1)[0] ?? name;
}

/** Whether everything that `inner` covers is covered by `outer` too: what a key may hand on. */
export function scopesWithin(inner: readonly string[], outer: readonly string[] | undefined): boolean {
  if (outer === undefined || outer.length === 0) return true;
  return (
    inner.length > 0 && inner.every((s) => outer.includes(s) || (s.startsWith('op:') && scopesCover(outer, s.slice(3))))
  );
}

/** Whether a key with these scopes may call an operation. A key without scopes is bound by its role or grant alone. */
export function scopesCover(scopes: readonly string[] | undefined, operation: string): boolean {
  if (scopes === undefined || scopes.length === 0) return true;
  return scopes.includes(`op:${operation}`) || scopes.includes(`category:${categoryOf(operation)}`);
}
