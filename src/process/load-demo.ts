import { Readable } from 'node:stream';
import type { Clock } from '../kernel/time.js';
import { DEMO_GROUP, DEMO_UNITS } from '../demo/demo-group.js';
import { generateInventory } from '../demo/inventory-generator.js';
import type { DealerDirectory, CreateDealerGroup } from '../modules/tenancy/index.js';
import type { DemoFeeds } from './demo-feeds.js';

const BAD_ROW_SHARE = 0.02;
/** An inventory older than this is fed again, so that a demo started days later does not show a stale lot. */
const REFRESH_MS = 12 * 3_600_000;

/**
 * Brings the demo group in: the organization once, then one feed file a rooftop through the same intake, job and publication
 * that every dealer's files take.
 */
export async function loadDemo(parts: { directory: DealerDirectory; createGroup: CreateDealerGroup; feeds: DemoFeeds; clock: Clock }, log: (line: string) => void): Promise<void> {
  const { directory, createGroup, feeds, clock } = parts;
  const organizationId = DEMO_GROUP.organizationId;
  if ((await directory.find(organizationId)) === undefined) {
    await createGroup.run(DEMO_GROUP);
    directory.forget(organizationId);
    for (const { rooftopId, timezone, currency } of DEMO_GROUP.rooftops) await feeds.create(organizationId, rooftopId, timezone, currency);
  }
  const due = await feeds.rooftopsServedBefore(organizationId, DEMO_GROUP.rooftops.map((r) => r.rooftopId), clock.now() - REFRESH_MS);
  if (due.length === 0) return;
  log(`importing the demo inventory of ${due.length} rooftops`);
  for (const rooftopId of due) {
    const rooftopNumber = DEMO_GROUP.rooftops.findIndex((r) => r.rooftopId === rooftopId);
    const lines = generateInventory({ organizationId, rooftopId, rooftopNumber, units: DEMO_UNITS[rooftopId] ?? 0, observedAt: clock.now(), badRowShare: BAD_ROW_SHARE });
    await feeds.receive(organizationId, rooftopId, Readable.from(lines));
  }
  await feeds.waitUntilPublished(organizationId, due);
}
