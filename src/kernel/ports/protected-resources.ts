/** One protected resource of RFC 9728: an MCP endpoint of an organization, or the admin API. */
export interface ProtectedResource {
  /** Canonical URI: what a client names as `resource` (RFC 8707) and what the audience of a token must equal, byte for byte. */
  readonly uri: string;
  /** Undefined for the admin API, which serves all organizations. */
  readonly organizationId: string | undefined;
  readonly kind: 'mcp' | 'admin';
  /** Scopes that a token for it may carry. */
  readonly scopes: readonly string[];
}

/** Port: which resources there are. */
export interface ProtectedResources {
  /** @returns undefined for anything but the exact URI of a resource that exists now. */
  find(uri: string): Promise<ProtectedResource | undefined>;
}

export const PROTECTED_RESOURCES = Symbol('ProtectedResources');
