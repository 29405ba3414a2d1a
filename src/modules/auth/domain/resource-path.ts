/** What a path of this service stands for as a protected resource (RFC 9728). */
export type ResourcePath =
  | { readonly kind: 'admin' }
  /** `organizationId` undefined: of the default organization. */
  | { readonly kind: 'mcp'; readonly organizationId: string | undefined };

const OF_ORGANIZATION = /^\/organizations\/([a-z0-9][a-z0-9._-]{0,127})\/mcp(?:\/underscore)?$/;

/** @returns undefined for a path that is no resource, by so much as a slash or a letter's case. */
export function readResourcePath(path: string): ResourcePath | undefined {
  if (path === '/admin') return { kind: 'admin' };
  if (path === '/mcp' || path === '/mcp/underscore') return { kind: 'mcp', organizationId: undefined };
  const organizationId = OF_ORGANIZATION.exec(path)?.[1];
  return organizationId === undefined ? undefined : { kind: 'mcp', organizationId };
}
