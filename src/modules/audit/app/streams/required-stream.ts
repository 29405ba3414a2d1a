import { Failure } from '../../../../kernel/failure/failure.js';
import type { AuditStream } from './audit-stream.js';

/** @throws Failure `resource.not_found` */
export function requiredStream(found: AuditStream | undefined): AuditStream {
  if (found === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
  return found;
}
