import { rfc3339 } from '../../../kernel/time.js';
import type { StoredTarget } from '../app/outside/audit-target-store.js';
import type { AuditTarget } from '../domain/audit-target.js';

const instant = (at: number | null): string | null => (at === null ? null : rfc3339(at));

/** A target as the admin API shows it; its secret never. */
export function targetView(target: AuditTarget): object {
  const { targetId, kind, address, witnessKey, timeZone, createdAt, revokedAt, previousSecretUntil } = target;
  return {
    target_id: targetId,
    kind,
    address,
    ...(witnessKey === null ? { time_zone: timeZone } : { witness_key: witnessKey }),
    created_at: rfc3339(createdAt),
    revoked_at: instant(revokedAt),
    ...(kind === 'webhook' ? { previous_secret_until: instant(previousSecretUntil) } : {}),
  };
}

/** With how delivery to it goes. */
export function healthView(target: StoredTarget): object {
  const { failures, problem, deliveredAt, witnessedSize, kind } = target;
  const size = kind === 'witness' ? { witnessed_size: witnessedSize } : {};
  return { ...targetView(target), delivery: { failures, problem, delivered_at: instant(deliveredAt), ...size } };
}
