import { importJWK, SignJWT } from 'jose';
import type { KeyRole } from '../../src/kernel/caller.js';
import { newRequestId, traceIdOfRequest } from '../../src/kernel/ids.js';
import { AUTHORIZATION_KEYS } from '../../src/modules/authorization-server/embedded-issuer.module.js';
import type { AuthorizationKeys } from '../../src/modules/authorization-server/infra/signing-keys.js';
import { ManageStaff, type StaffRole } from '../../src/modules/staff/index.js';
import type { TestService } from './service.js';

type Service = Pick<TestService, 'parts' | 'origin'>;

/** As the operator of the machine. */
export function operatorOrigin() {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'command', actorKind: 'system', actor: 'test', client: null } as const;
}

/** Adds a person as the operator of the machine does. @returns the id */
export async function addPerson(
  service: Pick<TestService, 'parts'>,
  organizationId: string,
  role: StaffRole,
): Promise<string> {
  const person = { name: `Test ${role}`, role };
  return (await service.parts.get(ManageStaff).create(organizationId, person, operatorOrigin())).personId;
}

export interface SignInClaims {
  /** Seconds before now. */
  readonly ago?: number;
  readonly amr?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** What the embedded authorization server issues to a person who signed in with a one-time code, as a header value. */
export async function personBearer(service: Service, personId: string, options: SignInClaims = {}): Promise<string> {
  const { ago = 0, amr = ['otp'], claims = {} } = options;
  const { signing } = service.parts.get<AuthorizationKeys>(AUTHORIZATION_KEYS);
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    iss: `${service.origin}/oauth`,
    aud: `${service.origin}/admin`,
    sub: personId,
    client_id: 'client.test',
    iat: now,
    exp: now + 300,
    auth_time: now - ago,
    amr,
    ...claims,
  };
  const header = { alg: 'ES256', typ: 'at+jwt', kid: signing.kid ?? '' };
  return `Bearer ${await new SignJWT(payload).setProtectedHeader(header).sign(await importJWK(signing, 'ES256'))}`;
}

export type Persons = Readonly<Record<Exclude<KeyRole, 'app'>, string>>;

/** One person of each role. */
export async function addPersons(service: Service, organizationId: string): Promise<Persons> {
  return {
    admin: await addPerson(service, organizationId, 'admin'),
    compliance: await addPerson(service, organizationId, 'compliance'),
    auditor: await addPerson(service, organizationId, 'auditor'),
  };
}
