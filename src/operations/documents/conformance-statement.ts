import { createHash } from 'node:crypto';
import { JsonBytes } from '../../kernel/json-bytes.js';

/**
 * What this gateway says about its own conformance. The claim schema of DAP admits only passed claims, so an unclaimed
 * gateway publishes this instead: it is experimental and claims nothing (decision record 0010).
 */
export function conformanceStatement(
  organizationId: string,
  profiles: readonly string[],
): { readonly body: JsonBytes; readonly digest: string } {
  const body = JsonBytes.of({
    statement: 'experimental-no-core-claim',
    statement_version: '1',
    specification: { id: 'dealer-agent-protocol', version: '0.1' },
    organization_id: organizationId,
    core_claim: false,
    profiles_offered: profiles,
    profile_status: 'experimental',
    why: [
      'Authoritative availability and price disclosure are not offered yet, so the Core bundle is incomplete.',
      'Inventory comes from dealer feeds: every fact is dealer-asserted and never an authoritative answer.',
    ],
  });
  return { body, digest: `sha256:${createHash('sha256').update(body.plain).digest('hex')}` };
}
