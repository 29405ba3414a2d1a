import { newRequestId, traceIdOfRequest } from '../../../kernel/ids.js';
import type { AuditRecord } from '../../../kernel/ports/audit-recorder.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { CompactRange } from '../domain/log/compact-range.js';
import { subtreeRootsFrom, TILE_WIDTH } from '../domain/log/tiles.js';
import { PRUNED_OPERATION, pruningHash } from '../domain/pruning.js';
import { VAULTED_OPERATION, vaultResources, type VaultStatement } from '../domain/vault.js';
import type { AuditLogStore } from './audit-log-store.js';
import type { AuditPruningStore, LogCut, PrunedSlice, PruningState } from './audit-pruning-store.js';
import type { TransactionalAudit } from './transactional-audit.js';

/** Rows of a slice of a preview. */
const PREVIEW_ROWS = TILE_WIDTH * 16;
/** Records that are numbered before a step waits for its own. */
const NUMBERED_AT_ONCE = 50_000;

/** A run, and who works on it. */
export interface PruningRun {
  readonly runId: string;
  readonly lease: number;
  /** Records of a step. */
  readonly most: number;
}

export type PruningOutcome =
  | { readonly kind: 'done'; readonly slice: PrunedSlice; readonly finished: boolean }
  /** A hold is being counted, or the log has not numbered the record of the pruning yet. */
  | { readonly kind: 'waiting' };

/**
 * Takes the beginning of an organization's log away under a retention run: first the log says so, then held records go into the
 * vault, then months that are over as a whole, then rows, then years of entries. What is left proves itself (decision records 0047
 * and 0056).
 */
export class PruneAuditLog {
  constructor(
    private readonly store: AuditPruningStore,
    private readonly log: AuditLogStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: TransactionalAudit,
    private readonly clock: Clock,
  ) {}

  sizes(tx: TenantTransaction): Promise<readonly { readonly part: string; readonly records: number }[]> {
    return this.store.sizes(tx);
  }

  /** What a preview says of the records that a cut by these cutoffs leaves, for who goes on with them; null: nothing is cut. */
  rest(tx: TenantTransaction, cutoffs: object): Promise<object | null> {
    return this.store.rest(tx, cutoffs);
  }

  /** Everything that is over. `tx` is read only. */
  async preview(
    tx: TenantTransaction,
    run: { readonly runId: string; readonly cutoffs: object },
    take: (slice: PrunedSlice) => void,
  ): Promise<void> {
    const { fromIndex, minIndex } = await this.store.cut(tx, run.cutoffs);
    for (let from = fromIndex; from < minIndex; from += PREVIEW_ROWS)
      take(await this.store.preview(tx, run.runId, from, Math.min(from + PREVIEW_ROWS, minIndex)));
    await this.store.previewVault(tx, run.runId, run.cutoffs, take);
  }

  /** The next step, in `tx`; months are dropped in transactions of their own before it. */
  async step(tx: TenantTransaction, run: PruningRun): Promise<PruningOutcome> {
    const { organizationId } = tx;
    const state = await this.stateOf(organizationId, run.runId);
    if (state.cut !== null && state.cut.minIndex > state.cut.fromIndex) {
      await this.record(tx, run, state.policy, state.cut);
      return { kind: 'done', slice: NOTHING, finished: false };
    }
    if (state.numbered === false) await this.log.sequence(NUMBERED_AT_ONCE);
    for (const month of state.months ?? []) await this.dropMonth(organizationId, month);
    for (const year of state.years ?? [])
      await this.unitOfWork.withTenant(organizationId, (own) => this.store.dropYear(own, year));
    const step = await this.store.step(tx, run, run.most);
    if (step.kind === 'waiting') return step;
    if (step.restate) await this.stateVault(tx, await this.store.vaultStatement(tx));
    return { kind: 'done', slice: step.slice, finished: step.finished };
  }

  private stateOf(organizationId: string, runId: string): Promise<PruningState> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.store.state(tx, runId));
  }

  private async record(
    tx: TenantTransaction,
    run: PruningRun,
    policy: string,
    { minIndex, size }: LogCut,
  ): Promise<void> {
    const { organizationId } = tx;
    const root = await this.rootBefore(organizationId, minIndex);
    const eventId = newRequestId();
    const afterHash = pruningHash(organizationId, { minIndex, size, root, policy, runId: run.runId });
    const resourceIds = [`rows before ${minIndex}`, `run ${run.runId}`, `policy ${policy}`];
    await this.audit.recordInTransaction(
      tx,
      this.recordOf(organizationId, eventId, { operation: PRUNED_OPERATION, resourceIds, afterHash }),
    );
    await this.store.record(tx, run, { eventId, minIndex, size, root });
  }

  /** Root of the rows before an index, from what is stored: tiles below it may be gone already. */
  private rootBefore(organizationId: string, minIndex: number): Promise<Uint8Array> {
    return this.log.withLog(organizationId, async (log) => {
      const at = subtreeRootsFrom((level, start, count) => log.hashes(level, start, count));
      return (await CompactRange.of(minIndex, at)).root();
    });
  }

  private dropMonth(organizationId: string, month: string): Promise<void> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const vaulted = (await this.store.dropMonth(tx, month)) ?? new Map<string, VaultStatement>();
      for (const [of, statement] of vaulted) await this.stateVault(tx, statement, of);
    });
  }

  /** What is in the vault is said in the log, so that nobody takes anything out of it unseen. */
  private stateVault(tx: TenantTransaction, statement: VaultStatement, of = tx.organizationId): Promise<void> {
    const said = { operation: VAULTED_OPERATION, resourceIds: vaultResources(statement), afterHash: statement.digest };
    return this.audit.recordBesides(tx, this.recordOf(of, newRequestId(), said));
  }

  private recordOf(
    organizationId: string,
    eventId: string,
    said: Pick<AuditRecord, 'operation' | 'resourceIds' | 'afterHash'>,
  ): AuditRecord {
    return {
      eventId,
      occurredAt: this.clock.now(),
      organizationId,
      traceId: traceIdOfRequest(eventId),
      surface: 'worker',
      profile: null,
      actorKind: 'system',
      actor: 'retention',
      client: null,
      rooftopIds: [],
      decision: 'allow',
      reason: null,
      policyVersion: null,
      outcome: 'succeeded',
      failureCode: null,
      purpose: null,
      ...said,
    };
  }
}

const NOTHING: PrunedSlice = {
  part: 'audit_events',
  hashes: new Uint8Array(),
  heldAt: [],
  usedAt: [],
  rooftops: {},
  holds: {},
  first: null,
  last: null,
};
