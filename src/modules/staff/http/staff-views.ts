import { rfc3339 } from '../../../kernel/time.js';
import type { IssuedCode } from '../app/issue-staff-code.js';
import type { StaffRecord } from '../domain/staff-record.js';

/** A person as the admin API shows one. */
export function personView(person: StaffRecord): object {
  return {
    person_id: person.personId,
    version: person.version,
    name: person.name,
    role: person.role,
    ...(person.identity === null ? {} : { issuer: person.identity.issuer, subject: person.identity.subject }),
    disabled_at: person.disabledAt === null ? null : rfc3339(person.disabledAt),
    created_at: rfc3339(person.createdAt),
    updated_at: rfc3339(person.updatedAt),
  };
}

/** A code as it is shown, once. */
export const codeView = ({ personId, code, expiresAt }: IssuedCode): object => ({
  person_id: personId,
  secret: code,
  expires_at: rfc3339(expiresAt),
});
