import { HASH_BYTES } from './hashes.js';

/** What a log asks of a witness (C2SP tlog-witness): to sign a newer state than the one it has. */
export interface AddCheckpoint {
  /** The size that the log believes the witness to have; 0 for none. */
  readonly oldSize: number;
  /** Shows that the newer tree begins with the older one. */
  readonly proof: readonly Uint8Array[];
  readonly note: string;
}

/** Most hashes that a proof between two sizes can have. */
const PROOF_MAX = 63;
const OLD = /^old (0|[1-9]\d{0,15})$/;

/** The body of the request. */
export function addCheckpointBody({ oldSize, proof, note }: AddCheckpoint): string {
  return [`old ${oldSize}`, ...proof.map((hash) => Buffer.from(hash).toString('base64')), '', note].join('\n');
}

/** @returns undefined for a body that is none. */
export function parseAddCheckpoint(body: string): AddCheckpoint | undefined {
  const end = body.indexOf('\n\n');
  if (end < 0) return undefined;
  const [first = '', ...encoded] = body.slice(0, end).split('\n');
  const [, old] = OLD.exec(first) ?? [];
  if (old === undefined || encoded.length > PROOF_MAX) return undefined;
  const proof = encoded.map((line) => Buffer.from(line, 'base64'));
  const sound = proof.every((hash, i) => hash.length === HASH_BYTES && hash.toString('base64') === encoded[i]);
  return sound ? { oldSize: Number(old), proof, note: body.slice(end + 2) } : undefined;
}
