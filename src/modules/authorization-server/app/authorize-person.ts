import { Failure } from '../../../kernel/failure/failure.js';
import type { ProtectedResource, ProtectedResources } from '../../../kernel/ports/protected-resources.js';
import type { StaffPerson, StaffSignIn } from '../../../kernel/ports/staff-sign-in.js';
import type { DealerDirectory } from '../../tenancy/index.js';
import { type ConsentRefusal, consentRefusal } from '../domain/consent.js';
import type { AuthorizationAudit } from './authorization-audit.js';
import type { AuthorizationEngine, PendingRequest } from './authorization-engine.js';
import type { Exchange } from './exchange.js';
import type { SignedInPeople } from './signed-in-people.js';

/** What a page shows of a request that waits for a person. */
export interface WaitingRequest {
  readonly pending: PendingRequest;
  readonly resource: ProtectedResource;
  /** Name of the dealer group behind the resource; undefined for the admin API. */
  readonly groupName: string | undefined;
  readonly person: StaffPerson | undefined;
  /** Why the person who signed in cannot consent. */
  readonly refusal: ConsentRefusal | undefined;
}

export interface AuthorizePersonParts {
  readonly engine: AuthorizationEngine;
  readonly resources: ProtectedResources;
  readonly directory: DealerDirectory;
  readonly staff: StaffSignIn;
  readonly people: SignedInPeople;
  readonly audit: AuthorizationAudit;
}

/**
 * What a person does between a client's request and its code: prove who they are with a one-time code, then say yes or no. Every
 * step reads the request by the browser's own cookie; whoever has another one, or none, gets nothing.
 */
export class AuthorizePerson {
  constructor(private readonly parts: AuthorizePersonParts) {}

  /** @throws Failure `resource.not_found` where no request waits for this browser under this uid. */
  async look(exchange: Exchange, uid: string): Promise<WaitingRequest> {
    const { engine, resources, directory, people } = this.parts;
    const pending = await engine.pending(exchange);
    if (pending?.uid !== uid) throw new Failure('resource.not_found', { reason: 'not_found' });
    const resource = await resources.find(pending.resource);
    if (resource === undefined) throw new Failure('resource.not_found', { reason: 'not_found' });
    const person = pending.personId === undefined ? undefined : await people.find(pending.personId);
    const { organizationId } = resource;
    const group = organizationId === undefined ? undefined : await directory.find(organizationId);
    const refusal = person === undefined ? undefined : consentRefusal(person, resource);
    return { pending, resource, groupName: group?.name, person, refusal };
  }

  /** @returns where to go on; undefined when the code does not prove the person. */
  async signIn(exchange: Exchange, uid: string, personId: string, code: string): Promise<string | undefined> {
    const { pending } = await this.look(exchange, uid);
    if (pending.step !== 'login') throw new Failure('resource.not_found', { reason: 'not_found' });
    const { staff, people, engine } = this.parts;
    const person = await staff.signIn(personId, code, exchange.network); // audited there
    if (person === undefined) return undefined;
    await people.remember(person);
    return engine.signedIn(exchange, person.personId);
  }

  /** @throws Failure `caller.role_forbidden` when the person may not let anybody in there. */
  async consent(exchange: Exchange, uid: string): Promise<string> {
    const waiting = await this.look(exchange, uid);
    if (waiting.pending.step !== 'consent') throw new Failure('resource.not_found', { reason: 'not_found' });
    const refusal = waiting.person === undefined ? 'sign_in_expired' : waiting.refusal;
    await this.recordConsent(exchange, waiting, refusal);
    if (refusal !== undefined) throw new Failure('caller.role_forbidden', { auditReason: refusal });
    return this.parts.engine.consented(exchange, waiting.pending);
  }

  async refuse(exchange: Exchange, uid: string): Promise<string> {
    await this.recordConsent(exchange, await this.look(exchange, uid), 'person_refused');
    return this.parts.engine.refused(exchange);
  }

  private recordConsent(exchange: Exchange, waiting: WaitingRequest, refusal: string | undefined): Promise<void> {
    const { pending, resource, person } = waiting;
    return this.parts.audit.record(exchange, {
      operation: 'oauth.consent',
      organizationId: resource.organizationId ?? person?.organizationId,
      client: pending.clientId,
      resourceIds: [...pending.scopes],
      refusal,
      ...(person === undefined ? {} : { actorKind: 'person' as const, actor: person.personId }),
    });
  }
}
