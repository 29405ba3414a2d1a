import { Failure } from '../../kernel/failure/failure.js';
import type { DealerDirectory, DealerGroup } from '../../modules/tenancy/index.js';
import type { OperationCatalog } from '../../operations/catalog.js';
import type { Operation } from '../../operations/operation.js';
import { underscored } from './tool-names.js';

/** What one organization offers today. Organizations that offer the same share one. */
export interface Offering {
  /** Equal exactly where the offered tools are. */
  readonly key: string;
  readonly operations: readonly Operation[];
}

/**
 * Which tools an organization offers, by its present settings. Protected tools belong to it, whoever asks: what is listed
 * depends on the organization alone (DAP-CORE-012).
 */
export class OfferedTools {
  private readonly byName: ReadonlyMap<string, Operation>;
  private readonly offerings = new Map<string, Offering>();
  private readonly ofGroup = new WeakMap<DealerGroup, Offering>();

  constructor(
    private readonly catalog: OperationCatalog,
    private readonly directory: DealerDirectory,
  ) {
    this.byName = new Map(catalog.all.flatMap((o) => [o.name, underscored(o.name)].map((name) => [name, o] as const)));
  }

  /** @throws Failure `resource.not_found` for an organization that is not there, `upstream.unavailable`. */
  async of(organizationId: string): Promise<Offering> {
    const group = await this.directory.find(organizationId);
    if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    let offering = this.ofGroup.get(group);
    if (offering === undefined) this.ofGroup.set(group, (offering = this.shared(this.catalog.offeredBy(group))));
    return offering;
  }

  /**
   * The tool of that name, in either form, where the organization offers it. A tool that every organization offers needs no
   * look at the settings.
   */
  find(organizationId: string, name: string): Operation | undefined | Promise<Operation | undefined> {
    const operation = this.byName.get(name);
    if (operation?.offered === undefined) return operation;
    return this.of(organizationId).then(({ operations }) => (operations.includes(operation) ? operation : undefined));
  }

  private shared(operations: readonly Operation[]): Offering {
    const key = operations.map((o) => o.name).join(' ');
    let offering = this.offerings.get(key);
    if (offering === undefined) this.offerings.set(key, (offering = { key, operations }));
    return offering;
  }
}
