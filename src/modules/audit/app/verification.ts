import type { NoteKey } from '../domain/log/signed-note.js';
import type { Finding } from './verify-findings.js';

/** What is checked. Parts are held against the newest checkpoint and the kept ones, through the tiles around them. */
export type VerifyScope =
  | { readonly kind: 'whole' }
  /** Leaves, tiles and roots of the whole log, without reading a record. */
  | { readonly kind: 'tiles' }
  /** Indexes as of a slice. */
  | { readonly kind: 'rows'; readonly from: number; readonly to: number }
  /** RFC 3339, `to` excluded. */
  | { readonly kind: 'period'; readonly from: string; readonly to: string }
  | { readonly kind: 'record'; readonly eventId: string };

/** Where lawful deletion ends: earlier rows are gone, and the log says so. */
export interface PrunedPart {
  /** First row that is there. */
  readonly minIndex: number;
  /** `name@version`. */
  readonly policy: string;
  readonly runId: string;
}

export interface Verification {
  readonly organizationId: string;
  /** `pruned`: intact as far as it is there, and what is not there was deleted under a policy. */
  readonly result: 'intact' | 'pruned' | 'tampered';
  /** Rows that were checked. */
  readonly rows: number;
  /** Checkpoints whose signature and root were found right. */
  readonly checkpoints: number;
  /** Rows after the newest checkpoint: sound in themselves, covered by no signature yet. */
  readonly uncovered: number;
  /** Records whose actor and client were erased by a recorded redaction. */
  readonly redacted: number;
  readonly pruned?: PrunedPart;
  /** Held records of the pruned part that were checked: they are in the vault, with what proves them. */
  readonly vaulted?: number;
  readonly findings: readonly Finding[];
}

export interface VerifyOptions {
  /** The whole trail unless told otherwise. */
  readonly scope?: VerifyScope;
  /** Signed notes that the caller kept outside: the trail must contain the states that they name. */
  readonly kept?: readonly string[];
  /** Witnesses that the caller knows (C2SP tlog-cosignature): a kept note counts only when one of them cosigned it. */
  readonly witnesses?: readonly NoteKey[];
  progress?(rows: number): void;
}
