import { hash } from 'node:crypto';
import { canonicalJson } from '../../../kernel/canonical-json.js';
import type { SubjectNames } from '../../../kernel/ports/subject-data.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import type { RetentionRules } from '../../retention/index.js';
import { emptyTally, type PlaceTally, withVerdict } from '../domain/place-tally.js';
import type { ErasurePreview } from '../domain/privacy-request.js';
import { decideErasure } from './decide-erasure.js';
import type { SubjectRegister } from './subject-register.js';

const RECORDS_AT_ONCE = 500;

/** What an erasure would do, place by place. Asked in a read-only transaction: it cannot erase. */
export class PreviewErasure {
  constructor(
    private readonly register: SubjectRegister,
    private readonly rules: RetentionRules,
    private readonly clock: Clock,
  ) {}

  async run(
    tx: TenantTransaction,
    requestId: string,
    verifiedAt: number,
    names: SubjectNames,
  ): Promise<ErasurePreview> {
    const rules = await this.rules.inForce(tx);
    const now = this.clock.now();
    const places: PlaceTally[] = [];
    for (const registered of this.register.places) {
      let tally = emptyTally(registered.place);
      for await (const page of this.register.records(tx, registered, names, RECORDS_AT_ONCE))
        for (const record of page)
          tally = withVerdict(tally, decideErasure(record, rules, { requestId, verifiedAt, names }, now));
      if (tally.found > 0) places.push(tally);
    }
    const { policyId, version, contentHash } = rules?.policy ?? {};
    const policy =
      policyId === undefined || version === undefined || contentHash === undefined
        ? null
        : { policyId, version, contentHash };
    return { policy, places };
  }
}

/** What people approve: exactly this preview of exactly this request. */
export function previewHash(requestId: string, subjectHash: string, preview: ErasurePreview): string {
  return hash('sha256', canonicalJson({ requestId, subjectHash, preview }), 'hex');
}
