import { hash } from 'node:crypto';
import { LIMITS } from '../../../kernel/limits.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { Halt } from '../domain/brake.js';
import { previewHashOf } from '../domain/run-preview.js';
import type { PreviewedRun, RetentionRun, RunLease } from './retention-run.js';
import { byWorker } from './run-audit.js';
import { cutoffsFor, type RunParts } from './run-parts.js';

/** Reads what a drafted run would delete, in a transaction that cannot, and keeps it for two people to approve. */
export class PreviewRun {
  constructor(
    private readonly parts: Pick<RunParts, 'unitOfWork' | 'reads' | 'store' | 'rules' | 'measuring' | 'audit'>,
  ) {}

  /** @returns what stands in the way, if something does */
  async run(lease: RunLease, run: RetentionRun): Promise<Halt | undefined> {
    const { unitOfWork, reads, store, audit } = this.parts;
    const previewed = await reads.readOnly(lease.organizationId, (tx) => this.read(tx, run));
    if (previewed === undefined) return { kind: 'policy', part: null, measured: null, allowed: null };
    await unitOfWork.withTenant(lease.organizationId, async (tx) => {
      await store.previewed(tx, lease, previewed);
      const { policy, previewHash } = previewed;
      await audit.record(tx, byWorker(), {
        operation: 'retention.runs.preview',
        resourceIds: [run.runId, `sha256:${previewHash}`],
        policyVersion: `${policy.policyId}@${policy.version}`,
        after: previewed.preview,
      });
    });
    return undefined;
  }

  private async read(tx: TenantTransaction, run: RetentionRun): Promise<PreviewedRun | undefined> {
    const { store, rules, measuring } = this.parts;
    const found = await rules.inForce(tx);
    if (found === undefined) return undefined;
    const asOf = await store.now(tx);
    const cutoffs = cutoffsFor(found, asOf, run);
    const { preview, sketch } = await measuring.run(tx, run.runId, cutoffs, found);
    const { policyId, version, contentHash } = found.policy;
    const policy = { policyId, version, contentHash };
    const expiresAt = asOf + LIMITS.retentionPreviewSeconds.value * 1000;
    const bytes = sketch.bytes();
    const { runId, requester, reason, categories, beyondBrake } = run;
    const asked = { organizationId: tx.organizationId, runId, requester, reason, categories, beyondBrake };
    const sketchHash = hash('sha256', bytes, 'hex');
    const previewHash = previewHashOf({ ...asked, asOf, expiresAt, policy, cutoffs, preview, sketchHash });
    return { asOf, policy, cutoffs, preview, sketch: bytes, previewHash, expiresAt };
  }
}
