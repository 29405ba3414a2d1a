import type { Caller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import type { DealerDirectory, DealerGroup } from '../../modules/tenancy/index.js';
import { isOpenToAll } from '../../modules/tenancy/index.js';
import type { OperationCatalog } from '../../operations/catalog.js';
import type { Operation } from '../../operations/operation.js';
import { underscored } from './tool-names.js';

/** A tool as a list shows it. */
export interface OfferedTool {
  readonly operation: Operation;
  /** Whether the dealer's policy leaves it open to callers without a grant. */
  readonly openToAll: boolean;
}

/** What a list shows one audience. Audiences that are shown the same share one. */
export interface Offering {
  /** Equal exactly where the tools, and who may call them, are. */
  readonly key: string;
  readonly tools: readonly OfferedTool[];
  /** Whether it is made for the holder of a grant: then nobody else may be shown it from a cache (DAP-CORE-009). */
  readonly isPrivate: boolean;
}

/**
 * Which tools an organization offers, by its present settings and policy. Without a grant all of them are listed, protected ones
 * included: a client learns from the list what it could ask a grant for. The holder of a grant is shown what its calls are not
 * refused for scope or profile (DAP-CORE-012; decision record 0039).
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
  async of(organizationId: string, caller: Caller): Promise<Offering> {
    const group = await this.directory.find(organizationId);
    if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    if (caller.kind === 'agent') return this.shared(group, this.catalog.offeredTo(group, caller.grant), true);
    let offering = this.ofGroup.get(group);
    if (offering === undefined)
      this.ofGroup.set(group, (offering = this.shared(group, this.catalog.offeredBy(group), false)));
    return offering;
  }

  /**
   * The tool of that name, in either form, where the organization offers it. A tool that every organization offers needs no
   * look at the settings.
   */
  find(organizationId: string, name: string): Operation | undefined | Promise<Operation | undefined> {
    const operation = this.byName.get(name);
    if (operation?.offered === undefined) return operation;
    return this.directory.find(organizationId).then((group) => {
      if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
      return operation.offered?.(group) === true ? operation : undefined;
    });
  }

  private shared({ policy }: DealerGroup, operations: readonly Operation[], isPrivate: boolean): Offering {
    const tools = operations.map((operation) => ({ operation, openToAll: isOpenToAll(policy, operation) }));
    const shown = tools.map(({ operation, openToAll }) => (openToAll ? operation.name : `${operation.name}!`));
    const key = [isPrivate ? 'private' : 'public', ...shown].join(' ');
    let offering = this.offerings.get(key);
    if (offering === undefined) this.offerings.set(key, (offering = { key, tools, isPrivate }));
    return offering;
  }
}
