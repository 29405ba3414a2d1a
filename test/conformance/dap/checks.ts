import type { TestContext } from 'vitest';
import type { DapWorld } from '../../support/dap-world.js';

export const TOOL = {
  manifest: 'dealeragent.discovery.get_manifest',
  dealer: 'dealeragent.dealer.get',
  search: 'dealeragent.inventory.search',
  vehicle: 'dealeragent.inventory.get_vehicle',
  used: 'dealeragent.inventory.get_used_vehicle_details',
  availability: 'dealeragent.inventory.verify_availability',
  pricing: 'dealeragent.pricing.get_disclosure',
} as const;

/** Checks of the public DAP suite (49, counted as upstream does) that a gateway without handoff does not have. */
export const OUT_OF_SCOPE: readonly { readonly checks: readonly number[]; readonly why: string }[] = [
  { checks: [35, 36], why: 'They check helpers of a client, not a gateway.' },
  { checks: [37, 38, 39, 40, 41, 42, 43], why: 'Handoff is never advertised: the draft contradicts itself about it.' },
];

/** Leaves a check out, loudly, while the tool that it needs is not in the list. CI refuses to pass with one left out. */
export async function needs(context: TestContext, world: DapWorld, ...tools: readonly string[]): Promise<void> {
  const listed = await world.tools();
  const absent = tools.filter((tool) => !listed.includes(tool));
  if (absent.length > 0) context.skip(`pending: ${absent.join(', ')} not in the list`);
}
