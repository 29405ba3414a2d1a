import { newRequestId, traceIdOfRequest } from '../kernel/ids.js';
import { GRANT_PURPOSES, GRANT_SCOPES, IssueGrant, RevokeAccess } from '../modules/auth/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import { explainFailure } from './explain-failure.js';
import type { Output } from './output.js';

const DAY_MS = 86_400_000;

export interface GrantOptions {
  readonly organization: string;
  readonly subject: string;
  readonly rooftop?: readonly string[];
  readonly delegation?: string;
  readonly profile: readonly string[];
  readonly scope: readonly string[];
  readonly purpose: readonly string[];
  readonly expiresInDays: number;
}

/** `grant create`: lets an agent in; the token of its key is written once and kept nowhere. */
export function grantCreate(options: GrantOptions, output: Output): Promise<number> {
  const rooftops = rooftopsOf(options);
  requireKnown('--scope', options.scope, GRANT_SCOPES);
  requireKnown('--purpose', options.purpose, GRANT_PURPOSES);
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(options.subject))
    throw new CommandError('--subject takes letters, digits, dots, dashes and colons', EXIT.usage);
  if (!(Number.isInteger(options.expiresInDays) && options.expiresInDays > 0))
    throw new CommandError('--expires-in-days takes a whole number of days', EXIT.usage);
  const { organization, subject, profile: profiles, scope: scopes, purpose: purposes } = options;
  const expiresAt = Date.now() + options.expiresInDays * DAY_MS;
  return withService(commandSettings(), async (service) => {
    const issued = await service
      .get(IssueGrant)
      .run(organization, { subject, rooftops, profiles, scopes, purposes, expiresAt }, origin('forecourt grant create'))
      .catch(explainFailure);
    const { grantId } = issued.grant;
    const { keyId, token } = issued.key;
    output.result(`${token}\nThis is shown once. Send it as: Authorization: Bearer …\nThe grant is ${grantId}.`, {
      grant_id: grantId,
      key_id: keyId,
      token,
    });
    return EXIT.done;
  });
}

/** `grant revoke`: ends a grant; every process knows within two seconds. */
export function grantRevoke(options: { organization: string; grant: string }, output: Output): Promise<number> {
  const { organization, grant } = options;
  return withService(commandSettings(), async (service) => {
    await service.get(RevokeAccess).grant(organization, grant, origin('forecourt grant revoke')).catch(explainFailure);
    output.result(`${grant} has ended`, { grant_id: grant, revoked: true });
    return EXIT.done;
  });
}

function rooftopsOf({
  rooftop,
  delegation,
}: GrantOptions): { rooftopIds: readonly string[] } | { delegationId: string } {
  if (delegation !== undefined && rooftop === undefined) return { delegationId: delegation };
  if (rooftop !== undefined && delegation === undefined) return { rooftopIds: rooftop };
  throw new CommandError('name either --rooftop or --delegation', EXIT.usage);
}

function requireKnown(option: string, given: readonly string[], known: readonly string[]): void {
  if (given.every((word) => known.includes(word))) return;
  throw new CommandError(`${option} takes: ${known.join(', ')}`, EXIT.usage);
}

function origin(actor: string) {
  const eventId = newRequestId();
  const traceId = traceIdOfRequest(eventId);
  return { eventId, traceId, surface: 'command', actorKind: 'system', actor, client: null } as const;
}
