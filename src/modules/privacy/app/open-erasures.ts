import type { RestoreJournal } from '../../../kernel/ports/restore-journal.js';
import { SUBJECT_KINDS, subjectName } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { VerifiedErasure, VerifiedErasures } from '../../retention/index.js';
import type { PrivacyRequestStore } from './privacy-request-store.js';

/** Verified erasures that are not done yet, for whoever explains what becomes of a record. Found by hash: names are sealed. */
export class OpenErasures implements VerifiedErasures {
  constructor(
    private readonly store: Pick<PrivacyRequestStore, 'openErasures'>,
    private readonly journal: Pick<RestoreJournal, 'subjectHashes'>,
  ) {}

  async naming(tx: TenantTransaction, subjects: readonly string[]): Promise<readonly VerifiedErasure[]> {
    const named = new Map<string, string>();
    for (const id of subjects)
      for (const kind of SUBJECT_KINDS)
        for (const hash of this.journal.subjectHashes(tx.organizationId, subjectName({ kind, id })))
          named.set(hash, id);
    if (named.size === 0) return [];
    const found = await this.store.openErasures(tx, [...named.keys()]);
    return found.map(({ requestId, subjectHash, verification }) => ({
      requestId,
      verifiedAt: verification?.verifiedAt ?? Infinity,
      subjects: [named.get(subjectHash) ?? ''],
      exceptions: [],
    }));
  }
}
