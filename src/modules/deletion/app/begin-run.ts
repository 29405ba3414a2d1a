import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import { differingShare } from '../domain/bottom-sketch.js';
import { type BrakeSettings, brakeOnPreview, type Halt } from '../domain/brake.js';
import { plainHalt } from './halted.js';
import type { PreviewedRun, RetentionRun, RunLease } from './retention-run.js';
import { type RunParts, stillInForce } from './run-parts.js';

/** Of what was previewed; an approval is void when more has changed. */
const CHANGED_AT_MOST = 0.01;

/** Looks once more, before the first batch, whether what was approved is still what there is. */
export class BeginRun {
  constructor(
    private readonly parts: Pick<RunParts, 'unitOfWork' | 'reads' | 'store' | 'rules' | 'measuring'>,
    private readonly share: number,
  ) {}

  /** @returns what voids the approval, or what the brake says; undefined when the run is begun */
  async run(lease: RunLease, run: RetentionRun, previewed: PreviewedRun): Promise<Halt | undefined> {
    const { reads, unitOfWork, store } = this.parts;
    const halt = await reads.readOnly(lease.organizationId, (tx) => this.look(tx, run, previewed));
    if (halt === undefined) await unitOfWork.withTenant(lease.organizationId, (tx) => store.begin(tx, lease));
    return halt;
  }

  /** What the brake goes by for this run. */
  async brakeSettings(tx: TenantTransaction, run: RetentionRun): Promise<BrakeSettings> {
    const earlier = await this.parts.store.earlier(tx, run.runId);
    return { share: this.share, earlier, beyond: run.beyondBrake !== null };
  }

  private async look(tx: TenantTransaction, run: RetentionRun, previewed: PreviewedRun): Promise<Halt | undefined> {
    const { rules, store, measuring } = this.parts;
    if ((await store.now(tx)) >= previewed.expiresAt) return plainHalt('preview_expired');
    const found = await stillInForce(rules, tx, run, previewed);
    if (found === undefined) return plainHalt('policy');
    const now = await measuring.run(tx, run.runId, previewed.cutoffs, found);
    const was = { size: previewed.preview.over, bytes: previewed.sketch };
    const differing = differingShare(was, { size: now.sketch.size, bytes: now.sketch.bytes() });
    if (differing > CHANGED_AT_MOST)
      return { kind: 'live_set', part: null, measured: differing, allowed: CHANGED_AT_MOST };
    return brakeOnPreview(now.preview.parts, await this.brakeSettings(tx, run));
  }
}
