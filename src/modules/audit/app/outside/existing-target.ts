import { Failure } from '../../../../kernel/failure/failure.js';
import type { TenantTransaction } from '../../../../kernel/ports/unit-of-work.js';
import type { AuditTargetStore, StoredTarget } from './audit-target-store.js';

/** @throws Failure `resource.not_found`. */
export async function existingTarget(
  store: AuditTargetStore,
  tx: TenantTransaction,
  targetId: string,
): Promise<StoredTarget> {
  const found = await store.find(tx, targetId);
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}
