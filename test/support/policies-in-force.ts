import { PoliciesInForce } from '../../src/modules/tenancy/infra/policies-in-force.js';
import { PrismaPolicyVersions } from '../../src/modules/tenancy/infra/prisma-policy-versions.js';

/** Policies as a service reads them; one that cannot be read fails the test. */
export function policiesInForce(): PoliciesInForce {
  return new PoliciesInForce(new PrismaPolicyVersions(), {
    error: (message) => {
      throw new Error(message);
    },
  });
}
