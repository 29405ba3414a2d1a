import { Failure } from '../../../kernel/failure/failure.js';
import type { Organization } from '../../tenancy/index.js';

/** @throws Failure `resource.not_found`. */
export function presentOrganization(found: Organization | undefined): Organization {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}
