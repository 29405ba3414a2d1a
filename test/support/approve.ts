import { DecideApproval } from '../../src/modules/approvals/app/decide-approval.js';
import { ListApprovals } from '../../src/modules/approvals/app/list-approvals.js';
import type { ServiceParts } from '../../src/process/service-parts.js';
import { addPerson, operatorOrigin } from './staff.js';

/** Two new persons, who signed in just now, approve. */
export async function approveByTwo(parts: ServiceParts, organizationId: string, approvalId: string): Promise<void> {
  const { approval } = await parts.get(ListApprovals).get(organizationId, approvalId);
  const { contentHash } = approval;
  for (const role of ['admin', 'compliance'] as const) {
    const personId = await addPerson({ parts }, organizationId, role);
    const signedIn = { authenticatedAt: Date.now(), strong: true };
    const caller = { kind: 'person', personId, organizationId, role, network: 'test', ...signedIn } as const;
    const origin = { ...operatorOrigin(), actorKind: 'person', actor: personId } as const;
    await parts.get(DecideApproval).run(caller, approvalId, { decision: 'approve', contentHash }, origin);
  }
}
