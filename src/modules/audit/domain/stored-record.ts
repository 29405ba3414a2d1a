import { timingSafeEqual } from 'node:crypto';
import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { ErasableField } from './canonical-record.js';
import { commitment } from './canonical-record.js';
import { sha256 } from './log/hashes.js';

/** How many elements a canonical record of each version has. */
const FIELDS: Readonly<Record<string, number>> = { a1: 19, a2: 21 };

// What is hashed is laid out here, behind the zero: hashing is synchronous.
let preimage = Buffer.alloc(2048);

/** What a canonical record says: the audited call, with commitments in place of the erasable values. */
export interface DecodedRecord extends Omit<Required<AuditRecord>, 'occurredAt' | 'actor' | 'client'> {
  /** RFC 3339 in UTC with milliseconds. */
  readonly occurredAt: string;
  readonly actorCommitment: string | null;
  readonly clientCommitment: string | null;
}

/** The leaf of a record in its Merkle tree: SHA-256(0x00 ‖ canon), as RFC 9162 §2.1.1 and the database compute it. */
export function leafOf(canon: Uint8Array | string): Buffer {
  const length = typeof canon === 'string' ? Buffer.byteLength(canon) : canon.length;
  if (preimage.length <= length) preimage = Buffer.alloc(2 * length + 1);
  if (typeof canon === 'string') preimage.write(canon, 1);
  else preimage.set(canon, 1);
  return sha256(preimage.subarray(0, 1 + length));
}

/**
 * Reads stored canonical bytes.
 * @throws Error for another version or a different number of fields: such bytes were not written by this service.
 */
export function decodeCanonical(canon: Uint8Array): DecodedRecord {
  const parts: unknown = JSON.parse(Buffer.from(canon).toString('utf8'));
  if (!Array.isArray(parts) || typeof parts[0] !== 'string' || parts.length !== FIELDS[parts[0]])
    throw new Error('not a canonical audit record of a known version');
  const [, eventId, occurredAt, organizationId, traceId, surface, operation, profile, actorKind, ...rest] =
    parts as never[];
  const [
    actorCommitment,
    clientCommitment,
    rooftopIds,
    resourceIds,
    decision,
    reason,
    policyVersion,
    outcome,
    failureCode,
    purpose,
    beforeHash = null,
    afterHash = null,
  ] = rest as unknown[];
  return {
    eventId,
    occurredAt,
    organizationId,
    traceId,
    surface,
    operation,
    profile,
    actorKind,
    actorCommitment,
    clientCommitment,
    rooftopIds,
    resourceIds,
    decision,
    reason,
    policyVersion,
    outcome,
    failureCode,
    purpose,
    beforeHash,
    afterHash,
  } as unknown as DecodedRecord;
}

/** Whether a kept value is the one that a record committed to. */
export function matchesCommitment(committed: string, nonce: Uint8Array, field: ErasableField, value: string): boolean {
  const computed = Buffer.from(commitment(nonce, field, value), 'hex');
  const expected = Buffer.from(committed, 'hex');
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
