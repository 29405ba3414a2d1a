import { createHash } from 'node:crypto';
import { JsonBytes } from '../../kernel/json-bytes.js';
import { SERVED_REVISIONS } from './served-revisions.js';

/** The profiles of the bundle `dealeragent.core-retail-read/0.1`: nobody may say Core without all four (DAP-CORE-014). */
const CORE_PROFILES = [
  'dealeragent.discovery/0.1',
  'dealeragent.inventory.read/0.1',
  'dealeragent.inventory.availability/0.1',
  'dealeragent.pricing.disclosure/0.1',
];

/**
 * What this gateway says about its own conformance. The claim schema of DAP admits only passed claims, so an unclaimed
 * gateway publishes this instead: it is experimental and claims nothing (decision record 0010). Like a claim it names every
 * revision of MCP that is served (DAP-CORE-002), and nothing of it can be taken for a claim (DAP-CORE-042).
 * @param profiles those that the organization offers.
 */
export function conformanceStatement(
  organizationId: string,
  profiles: readonly string[],
): { readonly body: JsonBytes; readonly digest: string } {
  const missing = CORE_PROFILES.filter((profile) => !profiles.includes(profile));
  const body = JsonBytes.of({
    statement: 'experimental-no-core-claim',
    statement_version: '3',
    specification: { id: 'dealer-agent-protocol', version: '0.1' },
    organization_id: organizationId,
    mcp_revisions: SERVED_REVISIONS,
    core_claim: false,
    profiles_offered: profiles,
    core_profiles_missing: missing,
    profile_status: 'experimental',
    why: [
      missing.length === 0
        ? 'All profiles of the Core bundle are offered, but no signed claim with its test report has been published.'
        : 'The Core bundle is incomplete: this organization does not offer all of its profiles.',
      'Inventory comes from dealer feeds: every fact of a feed is dealer-asserted and never an authoritative answer.',
    ],
  });
  return { body, digest: `sha256:${createHash('sha256').update(body.plain).digest('hex')}` };
}
