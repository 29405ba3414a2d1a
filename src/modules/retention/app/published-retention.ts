import { BriefMemory } from '../../../kernel/brief-memory.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { rulesOf, tighteningsOf } from '../domain/policy-document.js';
import type { RetentionPolicyVersion } from '../domain/retention-policy.js';
import type { RetentionVersionStore } from './retention-version-store.js';

const REMEMBERED_MS = 1500;
const MOST_ORGANIZATIONS = 10_000;

/** The active version of an organization, for what it publishes. */
export class PublishedRetention {
  private readonly brief: BriefMemory<RetentionPolicyVersion | undefined>;
  /** What was active when the database last answered. */
  private readonly last = new Map<string, RetentionPolicyVersion | undefined>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly versions: Pick<RetentionVersionStore, 'active'>,
    clock: Clock,
  ) {
    this.brief = new BriefMemory(REMEMBERED_MS, MOST_ORGANIZATIONS, clock);
  }

  /**
   * As it was at most a moment ago, or when the database last answered. @returns undefined while none is active
   * @throws Failure `upstream.unavailable` where the database is away and this process never asked it: that there is no policy
   *   is said only where it is known
   */
  async active(organizationId: string): Promise<RetentionPolicyVersion | undefined> {
    try {
      const active = await this.brief.of(organizationId, () => this.lookUp(organizationId));
      if (this.last.size >= MOST_ORGANIZATIONS) this.last.clear();
      this.last.set(organizationId, active);
      return active;
    } catch (error) {
      if (!this.last.has(organizationId)) throw error;
      return this.last.get(organizationId);
    }
  }

  private async lookUp(organizationId: string): Promise<RetentionPolicyVersion | undefined> {
    const stored = await this.unitOfWork.withTenant(organizationId, (tx) => this.versions.active(tx));
    if (stored === undefined) return undefined;
    return { ...stored, rules: rulesOf(stored.document), rooftops: tighteningsOf(stored.document) };
  }
}
