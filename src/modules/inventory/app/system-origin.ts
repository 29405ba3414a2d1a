import { newRequestId, newTraceId } from '../../../kernel/ids.js';
import type { ChangeOrigin } from './change-audit.js';

/** The service itself as the author of a change. */
export function systemOrigin(name: string): ChangeOrigin {
  return { requestId: newRequestId(), traceId: newTraceId(), surface: 'worker', actorKind: 'system', actor: name };
}
