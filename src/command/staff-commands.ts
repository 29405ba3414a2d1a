import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';
import { LIMITS } from '../kernel/limits.js';
import {
  IssueStaffCode,
  ManageStaff,
  STAFF_DIRECTORY,
  type StaffDirectory,
  type StaffRole,
} from '../modules/staff/index.js';
import { type DealerDirectory, DEALER_DIRECTORY } from '../modules/tenancy/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import { explainFailure } from './explain-failure.js';
import type { Output } from './output.js';

const MINUTES = LIMITS.staffCodeSeconds.value / 60;

export interface StaffAddOptions {
  readonly organization: string;
  readonly name: string;
  readonly role: StaffRole;
}

/** `staff add`: the first persons of an organization; the later ones are added by those who are there. */
export function staffAdd({ organization, name, role }: StaffAddOptions, output: Output): Promise<number> {
  if (name.trim() === '' || name.length > 120 || /\p{Cc}/u.test(name))
    throw new CommandError('--name takes one line of at most 120 characters', EXIT.usage);
  return withService(commandSettings(), async (service) => {
    if ((await service.get<DealerDirectory>(DEALER_DIRECTORY).find(organization)) === undefined)
      throw new CommandError('there is no such organization', EXIT.usage);
    const { personId } = await service
      .get(ManageStaff)
      .create(organization, { name, role }, origin('forecourt staff add'))
      .catch(explainFailure);
    output.result(`${personId}\nA code to sign in with: forecourt staff code ${personId}`, {
      person_id: personId,
      role,
    });
    return EXIT.done;
  });
}

/** `staff code`: a one-time code from the operator of the machine; it is written once and kept nowhere. */
export function staffCode(personId: string, output: Output): Promise<number> {
  return withService(commandSettings(), async (service) => {
    const person = await service.get<StaffDirectory>(STAFF_DIRECTORY).find(personId).catch(explainFailure);
    if (person === undefined) throw new CommandError('there is no such person', EXIT.usage);
    const { code, expiresAt } = await service
      .get(IssueStaffCode)
      .run(person.organizationId, personId, origin('forecourt staff code'))
      .catch(explainFailure);
    output.result(`${code}\nIt works once, for ${MINUTES} minutes.`, {
      person_id: personId,
      secret: code,
      expires_at: new Date(expiresAt).toISOString(),
    });
    return EXIT.done;
  });
}

function origin(actor: string) {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'command', actorKind: 'system', actor, client: null } as const;
}
