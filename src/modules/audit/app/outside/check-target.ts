import { isMailAddress, isWebAddress } from '../../../../kernel/delivery/outside-addresses.js';
import { Failure } from '../../../../kernel/failure/failure.js';
import type { AuditTarget } from '../../domain/audit-target.js';
import { parseVerifierKey } from '../../domain/log/signed-note.js';

export type NewAuditTarget = Pick<AuditTarget, 'kind' | 'address' | 'witnessKey' | 'timeZone'>;

/**
 * Whether something can be sent to a target as it is named. Whether its address may be called is the egress guard's business.
 * @param mail whether there is a folder for mail
 * @throws Failure `input.invalid`.
 */
export function checkTarget({ kind, address, witnessKey, timeZone }: NewAuditTarget, mail: boolean): void {
  if (kind === 'mail' && !mail) throw invalid('/kind', 'needs AUDIT_MAIL_DIR, which this installation does not have');
  if (kind === 'mail' ? !isMailAddress(address) : !isWebAddress(address))
    throw invalid('/address', kind === 'mail' ? 'must be a mail address' : 'must be a URL without credentials');
  if (kind === 'witness' && parseVerifierKey(witnessKey ?? '')?.kind !== 'cosignature')
    throw invalid('/witness_key', 'must be the verifier key of a witness: name+id+key');
  if (kind !== 'witness' && witnessKey !== null) throw invalid('/witness_key', 'belongs to a witness');
  if (!isTimeZone(timeZone)) throw invalid('/time_zone', 'must be an IANA time zone');
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const invalid = (pointer: string, explanation: string): Failure =>
  new Failure('input.invalid', { violations: [{ pointer, keyword: 'format', explanation }] });
