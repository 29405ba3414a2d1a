import { changeHashes } from '../../../kernel/change-hashes.js';
import { Failure } from '../../../kernel/failure/failure.js';
import type { Violation } from '../../../kernel/failure/violation.js';
import type { UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { DealerDirectory, DealerGroup } from '../../tenancy/index.js';
import type { FeedSettings, RooftopBinding } from '../domain/feed/feed-settings.js';
import { profileNamed } from '../domain/feed/profile/profiles.js';
import type { ChangeAudit, ChangeOrigin } from './change-audit.js';
import type { Feed, FeedSource } from './feed.js';
import { boundRooftops } from './feed.js';
import type { FeedStore } from './feed-store.js';

export interface RequestedFeed {
  readonly feedId: string;
  readonly name: string;
  readonly profile: string;
  readonly rooftops: RooftopBinding;
  /** Currency and time zone default to those of the first rooftop. */
  readonly settings: Partial<FeedSettings>;
  readonly source: FeedSource;
}

/** Configures a new source of inventory. */
export class CreateFeed {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly feeds: FeedStore,
    private readonly directory: DealerDirectory,
    private readonly audit: ChangeAudit,
  ) {}

  /** @throws Failure `input.invalid` for an unknown rooftop or profile, or when the id is taken. */
  async run(organizationId: string, requested: RequestedFeed, origin: ChangeOrigin): Promise<Feed> {
    const group = await this.directory.find(organizationId);
    if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    const violations = problemsOf(requested, group);
    if (violations.length > 0) throw new Failure('input.invalid', { violations });
    const rooftopIds = boundRooftops(requested.rooftops);
    const first = group.rooftops.find((rooftop) => rooftop.rooftopId === rooftopIds[0]);
    const settings = { currency: first?.currency ?? 'USD', timeZone: first?.timezone ?? 'UTC', ...requested.settings };
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      const feed = await this.feeds.insert(tx, { ...requested, settings });
      const change = { rooftopIds, resourceIds: [feed.feedId], hashes: changeHashes(null, feed) };
      await this.audit.record(tx, origin, { operation: 'feeds.create', ...change });
      return feed;
    });
  }
}

function problemsOf({ rooftops, profile }: RequestedFeed, group: DealerGroup): Violation[] {
  const known = new Set(group.rooftops.map((rooftop) => rooftop.rooftopId));
  const problems: Violation[] = [];
  const bound = boundRooftops(rooftops);
  if (bound.length === 0 || bound.some((id) => !known.has(id))) {
    problems.push({ pointer: '/rooftops', keyword: 'enum', explanation: 'must name rooftops of this organization' });
  }
  return [...problems, ...problemsOfProfile(profile)];
}

/** At most one: a name that is neither a format nor `auto`. */
export function problemsOfProfile(profile: string): readonly Violation[] {
  if (profile === 'auto' || isProfile(profile)) return [];
  return [{ pointer: '/profile', keyword: 'enum', explanation: 'is not a format that this version reads' }];
}

function isProfile(name: string): boolean {
  try {
    profileNamed(name);
    return true;
  } catch {
    return false;
  }
}
