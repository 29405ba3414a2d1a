import { Readable } from 'node:stream';
import { DEMO_GROUP, DEMO_LONG_UNSEEN, DEMO_UNITS } from '../demo/demo-group.js';
import { generateInventory } from '../demo/inventory-generator.js';
import type { Clock } from '../kernel/time.js';
import { CLOCK } from '../kernel/time.js';
import type { DealerDirectory } from '../modules/tenancy/index.js';
import { CreateDealerGroup, DEALER_DIRECTORY } from '../modules/tenancy/index.js';
import { DemoFeeds } from './demo-feeds.js';
import type { ServiceParts } from './service-parts.js';

const BAD_ROW_SHARE = 0.02;
/** An inventory older than this is fed again, so that a demo started days later does not show a stale lot. */
const REFRESH_MS = 12 * 3_600_000;

/**
 * Brings the demo group in: the organization once, then one feed file a rooftop through the same intake, job and publication
 * that every dealer's files take.
 */
export async function loadDemo(service: ServiceParts, log: (line: string) => void): Promise<void> {
  const directory = service.get<DealerDirectory>(DEALER_DIRECTORY);
  const clock = service.get<Clock>(CLOCK);
  const feeds = new DemoFeeds(service);
  const { organizationId, rooftops } = DEMO_GROUP;
  if ((await directory.find(organizationId)) === undefined) {
    await service.get(CreateDealerGroup).run(DEMO_GROUP);
    directory.forget(organizationId);
  }
  const rooftopIds = rooftops.map((r) => r.rooftopId);
  await feeds.ensure(organizationId, rooftopIds);
  const due = await feeds.rooftopsServedBefore(organizationId, rooftopIds, clock.now() - REFRESH_MS);
  if (due.length === 0) return;
  log(`importing the demo inventory of ${due.length} rooftops`);
  for (const rooftopId of due)
    await feeds.receive(organizationId, rooftopId, Readable.from(demoFile(rooftopId, clock.now())));
  await feeds.waitUntilPublished(organizationId, due);
}

/** The lines of a demo rooftop's feed file as of `now`, milliseconds. */
export function demoFile(rooftopId: string, now: number): Iterable<string> {
  const { organizationId, rooftops } = DEMO_GROUP;
  const rooftopNumber = rooftops.findIndex((r) => r.rooftopId === rooftopId);
  return generateInventory({
    organizationId,
    rooftopId,
    rooftopNumber,
    units: DEMO_UNITS[rooftopId] ?? 0,
    longUnseen: DEMO_LONG_UNSEEN[rooftopId] ?? 0,
    observedAt: now,
    badRowShare: BAD_ROW_SHARE,
    usedFacts: true,
  });
}
