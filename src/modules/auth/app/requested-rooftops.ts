import { Failure } from '../../../kernel/failure/failure.js';
import type { Violation } from '../../../kernel/failure/violation.js';
import type { DealerDirectory } from '../../tenancy/index.js';

/**
 * Access is given to rooftops that exist, and ends one day.
 * @throws Failure `resource.not_found` without the organization, `input.invalid` with every problem at once.
 */
export async function checkRequestedAccess(
  directory: DealerDirectory,
  organizationId: string,
  requested: { readonly rooftopIds: readonly string[]; readonly expiresAt: number },
  now: number,
): Promise<void> {
  const group = await directory.find(organizationId);
  if (group === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  const known = new Set(group.rooftops.map((rooftop) => rooftop.rooftopId));
  const violations: Violation[] = [];
  if (requested.rooftopIds.some((id) => !known.has(id)))
    violations.push({
      pointer: '/rooftop_ids',
      keyword: 'enum',
      explanation: 'must name rooftops of this organization',
    });
  if (requested.expiresAt <= now)
    violations.push({ pointer: '/expires_at', keyword: 'minimum', explanation: 'must lie in the future' });
  if (violations.length > 0) throw new Failure('input.invalid', { violations });
}
