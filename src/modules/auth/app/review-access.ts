import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { OrganizationState, OrganizationStore } from '../../tenancy/index.js';
import type { AccessFact } from '../domain/access-fact.js';
import { reviewAt, withoutRooftops } from '../domain/access-fact.js';
import type { AccessHistory } from './access-history.js';

/** Who could reach what of an organization at a time. */
export interface AccessReview {
  /** Milliseconds. */
  readonly at: number;
  /** Undefined before the organization was there. While it was not active, nobody reached anything. */
  readonly organizationState: OrganizationState | undefined;
  /** In a fixed order. */
  readonly entries: readonly AccessFact[];
}

/** Use case: who could reach what on a date, worked out from versions that never change and from the times of ends. */
export class ReviewAccess {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly histories: readonly AccessHistory[],
    private readonly organizations: OrganizationStore,
  ) {}

  run(organizationId: string, at: number): Promise<AccessReview> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const states = await this.organizations.states(tx);
      const organizationState = states.findLast((change) => change.at <= at)?.state;
      if (organizationState !== 'active') return { at, organizationState, entries: [] };
      const facts: AccessFact[] = [];
      for (const history of this.histories) facts.push(...(await history.facts(tx, at)));
      const departures = await this.organizations.departures(tx);
      const gone = [...departures].flatMap(([rooftopId, since]) => (since <= at ? [rooftopId] : []));
      return { at, organizationState, entries: withoutRooftops(reviewAt(facts, at), gone) };
    });
  }
}
