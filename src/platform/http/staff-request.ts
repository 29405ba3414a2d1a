import type { StaffCaller } from '../../kernel/caller.js';
import { Failure } from '../../kernel/failure/failure.js';
import { contextOf, type FastifyRequest } from './request-context.js';

/** Who signed the request. @throws Failure `caller.unauthenticated` where no guard has established anybody. */
export function staffOf(request: FastifyRequest): StaffCaller {
  const { caller } = contextOf(request);
  if (caller === undefined) throw new Failure('caller.unauthenticated');
  return caller;
}
