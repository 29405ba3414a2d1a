/** The scopes of DAP 0.1 (security profile §3). Read scopes only. */
export const GRANT_SCOPES = ['dealeragent:inventory:read', 'dealeragent:pricing:read'] as const;

/** Purposes that a grant may name: the general one and those that a request may name (decision record 0023). */
export const GRANT_PURPOSES = ['vehicle_shopping', 'display', 'comparison', 'shopping_assistance'] as const;
