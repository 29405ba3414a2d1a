import { Failure } from '../kernel/failure/failure.js';
import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';
import { type IssuedCode, IssueStaffCode, ManageStaff, STAFF_ROLES, type StaffRole } from '../modules/staff/index.js';
import type { ServiceParts } from './service-parts.js';

const NAMES: Readonly<Record<StaffRole, string>> = {
  admin: 'Local administrator',
  compliance: 'Local compliance officer',
  auditor: 'Local auditor',
};

/**
 * Three persons, so that everything that two people do can be walked on one machine, with a one-time code for each. The codes
 * are shown once; `forecourt staff code` issues others.
 */
export async function seedStaff(service: ServiceParts, organizationId: string): Promise<readonly IssuedCode[]> {
  const codes: IssuedCode[] = [];
  for (const role of STAFF_ROLES) {
    const personId = `staff.${role}`;
    await ensure(service, organizationId, personId, role);
    const code = await service.get(IssueStaffCode).run(organizationId, personId, origin()).catch(unlessGone); // somebody disabled the person: it stays so
    if (code !== undefined) codes.push(code);
  }
  return codes;
}

async function ensure(service: ServiceParts, organizationId: string, personId: string, role: StaffRole): Promise<void> {
  const staff = service.get(ManageStaff);
  if ((await staff.get(organizationId, personId).catch(unlessGone)) !== undefined) return;
  await staff.create(organizationId, { personId, name: NAMES[role], role }, origin());
}

function unlessGone(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'resource.not_found') return undefined;
  throw error;
}

function origin() {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'command', actorKind: 'system', actor: 'local-start', client: null } as const;
}
