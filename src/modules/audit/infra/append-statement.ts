import type pg from 'pg';

/** A record as the store takes it. */
export interface AuditLine {
  readonly organizationId: string;
  readonly line: string;
}

const NAMED_UP_TO = 8;

/**
 * Appends lines of any number of organizations in one statement: one round trip, one commit. Text parameters need no
 * escaping, which an array of texts full of quotes would. Statements for few organizations are prepared once a connection.
 */
export function appendStatement(lines: readonly AuditLine[]): pg.QueryConfig {
  const byOrganization = new Map<string, string>();
  for (const { organizationId, line } of lines) {
    const earlier = byOrganization.get(organizationId);
    byOrganization.set(organizationId, earlier === undefined ? line : `${earlier}\n${line}`);
  }
  const count = byOrganization.size;
  const calls = Array.from({ length: count }, (_, i) => `append_audit($${i * 2 + 1}, $${i * 2 + 2})`);
  const values = [...byOrganization].flat();
  const text = `SELECT ${calls.join(', ')}`;
  return count <= NAMED_UP_TO ? { name: `append_audit_${count}`, text, values } : { text, values };
}
