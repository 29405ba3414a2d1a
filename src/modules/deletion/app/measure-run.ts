import type { CategoryCutoffs } from '../../../kernel/retention/category-cutoffs.js';
import type { RetentionCategory } from '../../../kernel/retention/retention-categories.js';
import type { TenantTransaction } from '../../../kernel/ports/unit-of-work.js';
import type { RulesInForce } from '../../retention/index.js';
import { BottomSketch } from '../domain/bottom-sketch.js';
import { PreviewTally } from '../domain/preview-tally.js';
import type { RunPreview } from '../domain/run-preview.js';
import type { Disposal, Disposer } from './disposer.js';
import type { RunStore } from './run-store.js';
import { TakenTree } from './taken-tree.js';

/** What a run would do, and a sketch of everything that is over. */
export interface Measured {
  readonly preview: RunPreview;
  readonly sketch: BottomSketch;
}

/** One category of a run, with who disposes of it. */
export interface PlannedCategory {
  readonly disposer: Disposer;
  readonly disposal: Disposal;
}

/** Reads what a run would take, by the same disposers in the same order in which the run takes it. */
export class MeasureRun {
  constructor(
    private readonly disposers: readonly Disposer[],
    private readonly store: Pick<RunStore, 'order'>,
  ) {}

  /**
   * What a run does, in order: what is referred to goes after what refers to it, and of a category some are deleted before others are
   * changed. Actions that nobody carries out are left out.
   */
  async plan(
    tx: TenantTransaction,
    runId: string,
    cutoffs: readonly CategoryCutoffs[],
  ): Promise<readonly PlannedCategory[]> {
    const order = await this.store.order(tx);
    const place = (category: RetentionCategory): number => {
      const at = order.indexOf(category);
      return at < 0 ? order.length : at;
    };
    return cutoffs
      .toSorted((a, b) => place(a.category) - place(b.category) || rank(a) - rank(b))
      .flatMap((own) => {
        const disposer = this.disposerOf(own);
        const end = cutoffs.find(({ category, action }) => category === own.category && action === 'delete');
        const disposal = { runId, cutoffs: own, ...(end === undefined || end === own ? {} : { end }) };
        return disposer === undefined ? [] : [{ disposer, disposal }];
      });
  }

  /** In a transaction that is read only. */
  async run(
    tx: TenantTransaction,
    runId: string,
    cutoffs: readonly CategoryCutoffs[],
    { jurisdictions, home }: Pick<RulesInForce, 'jurisdictions' | 'home'>,
  ): Promise<Measured> {
    const [tally, tree, sketch] = [new PreviewTally(), new TakenTree(), new BottomSketch()];
    for (const { disposer, disposal } of await this.plan(tx, runId, cutoffs)) {
      const { category, action } = disposal.cutoffs;
      for (const { part, records } of await disposer.sizes(tx, category))
        tally.begin({ category, action, part }, records);
      await disposer.preview(tx, disposal, (slice) => {
        tally.add({ category, action, part: slice.part }, slice);
        tree.add(slice);
        sketch.add(slice.hashes);
      });
    }
    const parts = tally.parts();
    const sum = (of: 'over' | 'going' | 'held'): number => parts.reduce((total, part) => total + part[of], 0);
    return {
      sketch,
      preview: {
        parts,
        left: cutoffs
          .filter((own) => this.disposerOf(own) === undefined)
          .map(({ category, action }) => ({ category, action })),
        over: sum('over'),
        going: sum('going'),
        held: sum('held'),
        root: tree.root(),
        jurisdictions: [...new Set([home, ...jurisdictions.values()])].toSorted(),
      },
    };
  }

  /** By which methods records of these categories go. */
  methods(cutoffs: readonly CategoryCutoffs[]): readonly string[] {
    return [...new Set(cutoffs.map((own) => this.disposerOf(own)?.method ?? 'left alone'))];
  }

  private disposerOf({ category, action }: CategoryCutoffs): Disposer | undefined {
    const own = this.disposers.filter(({ categories }) => categories !== 'others' && categories.includes(category));
    const serving = own.length > 0 ? own : this.disposers.filter(({ categories }) => categories === 'others');
    return serving.find(({ actions }) => actions.includes(action));
  }
}

const rank = ({ action }: CategoryCutoffs): number => (action === 'delete' ? 0 : 1);
