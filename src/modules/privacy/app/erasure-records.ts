import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { rfc3339 } from '../../../kernel/time.js';
import type { DeletionRecords } from '../../deletion/index.js';
import type { PrivacyRequest } from '../domain/privacy-request.js';
import { workerOrigin } from './privacy-parts.js';

/** Leaves the record of an erasure where all deletions leave theirs: counts and grounds, and nobody's name. */
export class ErasureRecords {
  constructor(private readonly records: DeletionRecords) {}

  /** One for each pass: what a hold or a floor let go later has a record of its own. @returns its id */
  async write(tx: TenantTransaction, request: PrivacyRequest): Promise<string> {
    const { requestId, progress, preview } = request;
    const sourceId = progress.pass === 1 ? requestId : `${requestId}/${progress.pass}`;
    const content = {
      request_id: requestId,
      pass: progress.pass,
      received_at: rfc3339(request.receivedAt),
      verified_at: request.verification === null ? null : rfc3339(request.verification.verifiedAt),
      approval_id: request.approvalId,
      approved_at: request.approvedAt === null ? null : rfc3339(request.approvedAt),
      preview_hash: request.previewHash,
      policy: preview?.policy ?? null,
      places: progress.places.map(({ place, found, goes, kept }) => ({ place, found, erased: goes, kept })),
      waits_for_holds: request.waitsFor,
    };
    const record = { kind: 'erasure', sourceId, content } as const;
    return (await this.records.write(tx, record, 'privacy.requests.finish', workerOrigin())).recordId;
  }
}
