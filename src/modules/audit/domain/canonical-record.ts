import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import { hmacSha256Hex } from './hmac.js';

/**
 * First element of every canonical record: the version of its form. `a1` ends with the purpose; `a2` has the hashes of before
 * and after behind it. Records of `a1` stay as they are and are read as having none (decision record 0035).
 */
export const CANONICAL_VERSION = 'a2';

/** The fields whose values can be erased while the leaf stays verifiable (decision record 0009). */
export type ErasableField = 'actor' | 'client';

// Everything that stands for itself between JSON quotes. Ids and codes are always of this kind.
const PLAIN = /^[ !#-[\]-~]*$/;
const CONTROL = /[\u0000-\u001f\u007f]/;
const UNSTORABLE = /\0|\p{Surrogate}/gu;

/**
 * The canonical form of a record: a JSON array of fixed order, whose UTF-8 bytes are what the leaf hashes. The indexes
 * are those that SQL `append_audit` reads. Built by hand, because every call of the gateway passes here.
 */
export function canonicalRecord(
  r: AuditRecord,
  actorCommitment: string | null,
  clientCommitment: string | null,
): string {
  return (
    `["${CANONICAL_VERSION}",${quote(r.eventId)},"${new Date(r.occurredAt).toISOString()}",${quote(r.organizationId)}` +
    `,${quote(r.traceId)},"${r.surface}",${quote(r.operation)},${quoteOrNull(r.profile)},"${r.actorKind}"` +
    `,${quoteOrNull(actorCommitment)},${quoteOrNull(clientCommitment)},${quoteList(r.rooftopIds)},${quoteList(r.resourceIds)}` +
    `,"${r.decision}",${quoteOrNull(r.reason)},${quoteOrNull(r.policyVersion)},"${r.outcome}"` +
    `,${quoteOrNull(r.failureCode)},${quoteOrNull(r.purpose)},${quoteOrNull(r.beforeHash ?? null)},${quoteOrNull(r.afterHash ?? null)}]`
  );
}

/**
 * One line for SQL `append_audit`: nonce, actor, client, canonical form, separated by tabs. The nonce is 32 hex digits
 * and is used for this record alone. Anonymous calls cost no HMAC.
 * @throws TypeError when actor or client is empty or holds a control character, which would break the line.
 */
export function auditLine(record: AuditRecord, nonceHex: string): string {
  const { actor, client } = record;
  const nonce = Buffer.from(nonceHex, 'hex');
  const actorCommitment = actor === null ? null : commitment(nonce, 'actor', requireOneLine(actor));
  const clientCommitment = client === null ? null : commitment(nonce, 'client', requireOneLine(client));
  return `${nonceHex}\t${actor ?? ''}\t${client ?? ''}\t${canonicalRecord(record, actorCommitment, clientCommitment)}`;
}

/** HMAC-SHA256 in hex under the row's nonce: once nonce and value are destroyed, nobody can guess the value. */
export function commitment(nonce: Uint8Array, field: ErasableField, value: string): string {
  return hmacSha256Hex(nonce, `${field}\0${value}`);
}

function requireOneLine(value: string): string {
  if (PLAIN.test(value) && value !== '') return value;
  if (value === '' || CONTROL.test(value) || !isStorable(value))
    throw new TypeError('an audited actor or client must be printable text');
  return value;
}

function quote(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : quoteUnusual(value);
}

// Odd characters are escaped, and those that PostgreSQL cannot store are replaced, never refused: a denial must be
// recorded whatever the caller sent.
function quoteUnusual(value: string): string {
  return JSON.stringify(isStorable(value) ? value : value.replace(UNSTORABLE, '\ufffd'));
}

function isStorable(value: string): boolean {
  return value.search(UNSTORABLE) === -1;
}

function quoteOrNull(value: string | null): string {
  return value === null ? 'null' : quote(value);
}

function quoteList(values: readonly string[]): string {
  if (values.length === 0) return '[]';
  let text = `[${quote(values[0] ?? '')}`;
  for (let i = 1; i < values.length; i++) text += `,${quote(values[i] ?? '')}`;
  return `${text}]`;
}
