import type { Readable } from 'node:stream';
import type { ChangeOrigin } from '../modules/inventory/index.js';
import { CreateFeed, FeedReports, ReceiveFeedFile, TraceValue } from '../modules/inventory/index.js';
import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';
import type { ServiceParts } from './service-parts.js';

const POLL_MS = 100;
const PATIENCE_MS = 120_000;

/** Feeds of a generated group, one a rooftop, through the use cases that every dealer's files pass. */
export class DemoFeeds {
  private readonly runs = new Map<string, string>();

  constructor(private readonly service: ServiceParts) {}

  /** Configures the feeds that are missing: an interrupted first start is made good by the next. */
  async ensure(organizationId: string, rooftopIds: readonly string[]): Promise<void> {
    const known = new Set((await this.service.get(FeedReports).feeds(organizationId)).map((f) => f.feedId));
    for (const rooftopId of rooftopIds) if (!known.has(feedOf(rooftopId))) await this.create(organizationId, rooftopId);
  }

  async create(organizationId: string, rooftopId: string): Promise<void> {
    await this.service.get(CreateFeed).run(
      organizationId,
      {
        feedId: feedOf(rooftopId),
        name: `Inventory of ${rooftopId}`,
        profile: 'dealer-agent-inventory-csv/0.1',
        rooftops: { kind: 'single', rooftopId },
        settings: {},
        source: { kind: 'upload' },
      },
      systemOrigin(),
    );
  }

  async receive(organizationId: string, rooftopId: string, lines: Readable): Promise<void> {
    const receipt = await this.service.get(ReceiveFeedFile).run(
      {
        organizationId,
        feedId: feedOf(rooftopId),
        name: `${rooftopId}.csv`,
        origin: 'demo',
        chunks: lines.map((line: string) => Buffer.from(line)) as AsyncIterable<Uint8Array>,
      },
      systemOrigin(),
    );
    this.runs.set(rooftopId, receipt.runId);
  }

  /** @throws Error when a run does not end as published in time. */
  async waitUntilPublished(organizationId: string, rooftopIds: readonly string[]): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    for (const rooftopId of rooftopIds) {
      const runId = this.runs.get(rooftopId) ?? '';
      for (;;) {
        const run = await this.service.get(FeedReports).run(organizationId, runId);
        if (run.state === 'published' || run.state === 'superseded') break;
        if (run.state === 'held' || run.state === 'failed' || Date.now() > deadline)
          throw new Error(`the feed run of ${rooftopId} ended as ${run.state} (${run.holdReasons.join(', ')})`);
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
    }
  }

  /** Rooftops whose served inventory arrived before the given time, or that serve none. */
  async rooftopsServedBefore(
    organizationId: string,
    rooftopIds: readonly string[],
    before: number,
  ): Promise<readonly string[]> {
    const overview = await this.service.get(TraceValue).overview(organizationId);
    const servedAt = new Map(overview.rooftops.map((r) => [r.rooftopId, r.receivedAt]));
    return rooftopIds.filter((id) => (servedAt.get(id) ?? 0) < before);
  }
}

const feedOf = (rooftopId: string): string => `feed.${rooftopId}`;

function systemOrigin(): ChangeOrigin {
  const requestId = newRequestId();
  return { requestId, traceId: traceIdOfRequest(requestId), surface: 'command', actorKind: 'system', actor: 'demo' };
}
