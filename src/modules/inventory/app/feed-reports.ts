import { Failure } from '../../../kernel/failure/failure.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Feed } from './feed.js';
import type { FeedRun, NumberedRunRow } from './feed-run.js';
import type { FeedRunStore, RunRowPage } from './feed-run-store.js';
import type { FeedStore } from './feed-store.js';

/** What staff may look up about feeds and their runs. Anything of another organization does not exist here. */
export class FeedReports {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly stores: { readonly feeds: FeedStore; readonly runs: FeedRunStore },
  ) {}

  feeds(organizationId: string, page?: { readonly after?: string; readonly limit: number }): Promise<readonly Feed[]> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.stores.feeds.list(tx, page));
  }

  /** @throws Failure `resource.not_found` */
  feed(organizationId: string, feedId: string): Promise<Feed> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.requireFeed(tx, feedId));
  }

  /** Newest first. @throws Failure `resource.not_found` */
  runs(
    organizationId: string,
    feedId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<readonly FeedRun[]> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.requireFeed(tx, feedId);
      return this.stores.runs.listOfFeed(tx, feedId, page);
    });
  }

  /** @throws Failure `resource.not_found` */
  run(organizationId: string, runId: string): Promise<FeedRun> {
    return this.unitOfWork.withTenant(organizationId, (tx) => this.requireRun(tx, runId));
  }

  /** In the order of the report. @throws Failure `resource.not_found` */
  rows(organizationId: string, runId: string, page: RunRowPage): Promise<readonly NumberedRunRow[]> {
    return this.unitOfWork.withTenant(organizationId, async (tx) => {
      await this.requireRun(tx, runId);
      return this.stores.runs.listRows(tx, runId, page);
    });
  }

  private async requireFeed(tx: TenantTransaction, feedId: string): Promise<Feed> {
    return found(await this.stores.feeds.find(tx, feedId));
  }

  private async requireRun(tx: TenantTransaction, runId: string): Promise<FeedRun> {
    return found(await this.stores.runs.find(tx, runId));
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return value;
}
