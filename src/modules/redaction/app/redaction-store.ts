import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RedactionGround, RedactionScope } from '../../audit/index.js';

/** What is to be erased: the values of the record, or of all records that share its actor or its client. */
export interface RequestedRedaction {
  readonly eventId: string;
  readonly scope: RedactionScope;
  readonly ground: RedactionGround;
}

/** What a redaction took. */
export interface Redaction {
  /** Id of the audit record that says so. */
  readonly redactionId: string;
  readonly records: number;
  /** SHA-256 over the records and the fields that went, hex. */
  readonly contentHash: string;
  /** Tables of the months that had them: the old bytes are in their pages until they are rewritten (VACUUM FULL). */
  readonly tables: readonly string[];
  /** More records have the same value: the redaction is to be asked for again. */
  readonly more: boolean;
}

/** Port: erases values of the audit trail. The transaction must record the redaction, or it cannot commit. */
export interface RedactionStore {
  /** How many records it is about now; 0 where there is no such record or it has no value left. */
  count(tx: TenantTransaction, requested: RequestedRedaction): Promise<number>;
  /** @returns undefined when there is nothing to erase. */
  redact(tx: TenantTransaction, redactionId: string, requested: RequestedRedaction): Promise<Redaction | undefined>;
}
