import { describe, expect, it } from 'vitest';
import { HAS_SPECIFICATIONS, specificationValidator } from '../../../test/contract/shared-specifications.js';
import { conformanceStatement } from './conformance-statement.js';

const ALL = ['discovery', 'inventory.read', 'inventory.availability', 'pricing.disclosure'];
const statement = JSON.parse(
  conformanceStatement(
    'org.a',
    ALL.map((profile) => `dealeragent.${profile}/0.1`),
  ).body.plain.toString('utf8'),
) as Record<string, unknown>;

describe('The statement in place of a claim', () => {
  it('names every revision of MCP that is served, the older ones, too', () => {
    expect(statement['mcp_revisions']).toEqual(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']);
  });

  it('is not to be taken for a claim, also where the whole bundle is offered', () => {
    expect(statement).toMatchObject({ core_claim: false, core_profiles_missing: [], profile_status: 'experimental' });
    for (const member of ['claim_version', 'claim_id', 'status', 'test_run', 'signer'])
      expect(statement).not.toHaveProperty(member);
  });

  it.skipIf(!HAS_SPECIFICATIONS)('is no valid claim (skipped where the schema of claims is absent)', () => {
    const isClaim = specificationValidator('dap/conformance/claim.schema.json', 'dap/schemas/common.schema.json');
    expect(isClaim(statement)).toBe(false);
  });
});
