import { BriefMemory, REVOCABLE_REMEMBERED_MS } from '../../../kernel/brief-memory.js';
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { PersonCaller, StaffCaller } from '../../../kernel/caller.js';
import { Failure } from '../../../kernel/failure/failure.js';
import { isMintedId } from '../../../kernel/ids.js';
import type { Revocations } from '../../../kernel/ports/revocations.js';
import type { StaffAuthenticator } from '../../../kernel/ports/staff-authenticator.js';
import type { TokenVerifier, TrustedIssuer, VerifiedToken } from '../../../kernel/ports/token-verifier.js';
import type { Clock } from '../../../kernel/time.js';
import { type GroupRoles, roleOfGroups, signInFacts } from '../domain/person-claims.js';
import type { StaffRecord } from '../domain/staff-record.js';
import type { OutsidePersons, OutsideToken } from './outside-persons.js';
import type { StaffDirectory } from './staff-store.js';

const MOST_PERSONS = 10_000;

/** What the table takes: no control characters (OpenID Connect Core §2: at most 255 characters). */
const SUBJECT = /^\P{Cc}{1,255}$/u;
const BEARER = /^Bearer +([\x21-\x7e]{1,8192})$/i;

/** The outside identity provider of the installation. */
export interface OutsideIssuer {
  readonly trusted: TrustedIssuer;
  readonly audience: string;
  readonly groupsClaim: string;
  readonly groupRoles: GroupRoles;
  /** One organization for everybody, or the claim that names it. */
  readonly organization: { readonly id: string } | { readonly claim: string };
}

/** Whose tokens open the admin API. */
export interface StaffTrust {
  /** The admin API as a resource: the audience of tokens of the embedded authorization server. */
  readonly resource: string;
  /** Undefined where no authorization server runs in this service. */
  readonly embedded: TrustedIssuer | undefined;
  readonly outside: OutsideIssuer | undefined;
}

/** The person that a token belongs to, as known moments ago. */
type KnownPerson = Pick<StaffRecord, 'personId' | 'organizationId' | 'role' | 'disabledAt'> & {
  readonly outside?: boolean;
};

/** The true reasons behind refusals, beside those of the verifier. For the audit trail, never for the caller. */
type StaffRefusal =
  | 'credential_malformed'
  | 'token_issuer'
  | 'token_of_program'
  | 'token_names_no_organization'
  | 'person_unknown'
  | 'person_disabled'
  | 'person_of_other_issuer';

/** Use case: establishes which person presents a token at the admin API (decision record 0033). */
export class AuthenticateStaff implements StaffAuthenticator {
  private readonly recent: BriefMemory<KnownPerson | undefined>;

  constructor(
    private readonly verifier: TokenVerifier,
    private readonly trust: StaffTrust,
    private readonly directory: StaffDirectory,
    private readonly outsiders: OutsidePersons,
    private readonly revocations: Revocations,
    private readonly clock: Clock,
  ) {
    this.recent = new BriefMemory(REVOCABLE_REMEMBERED_MS, MOST_PERSONS, clock);
  }

  async authenticate(header: string, network: string): Promise<StaffCaller> {
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw refused('credential_malformed');
    const issuer = issuerNamed(token);
    const { resource, embedded, outside } = this.trust;
    if (embedded !== undefined && issuer === embedded.issuer) {
      const verified = await this.verifier.verify(token, { issuers: [embedded], audience: resource });
      return this.callerOf(verified, await this.personOf(verified), network);
    }
    if (outside !== undefined && issuer === outside.trusted.issuer) {
      const { trusted, audience } = outside;
      const verified = await this.verifier.verify(token, { issuers: [trusted], audience });
      return this.callerOf(verified, await this.outsiderOf(verified, token, outside), network);
    }
    throw refused('token_issuer');
  }

  private async personOf({ subject, clientId }: VerifiedToken): Promise<KnownPerson | undefined> {
    // A program that got a token for itself names itself as subject (RFC 9068 §2.2).
    if (subject === clientId) throw refused('token_of_program');
    if (!isMintedId(subject)) throw refused('person_unknown');
    const person = await this.recent.of(subject, () => this.directory.find(subject));
    if (person === undefined) throw refused('person_unknown');
    if (person.outside === true) throw refused('person_of_other_issuer');
    return person;
  }

  private outsiderOf(
    { issuer, subject, claims }: VerifiedToken,
    token: string,
    { organization, groupsClaim, groupRoles }: OutsideIssuer,
  ): Promise<KnownPerson | undefined> {
    const organizationId = 'id' in organization ? organization.id : claims[organization.claim];
    if (typeof organizationId !== 'string' || !isMintedId(organizationId)) throw refused('token_names_no_organization');
    if (!SUBJECT.test(subject)) throw refused('person_unknown');
    const outside: OutsideToken = {
      organizationId,
      identity: { issuer, subject },
      name: nameOf(claims['name']),
      role: roleOfGroups(claims[groupsClaim], groupRoles),
      issuedAt: typeof claims.iat === 'number' ? claims.iat * 1000 : 0,
    };
    const digest = createHash('sha256').update(token).digest('base64'); // no token stays in memory
    return this.recent.of(`outside:${digest}`, () => this.outsiders.of(outside));
  }

  private callerOf({ claims }: VerifiedToken, person: KnownPerson | undefined, network: string): PersonCaller {
    if (person === undefined) throw new Failure('caller.role_forbidden', { auditReason: 'groups_give_no_role' });
    const { personId, organizationId, role, disabledAt } = person;
    // Looked at on every call: whoever is disabled does not stay for as long as their person is remembered.
    const end = this.revocations.endOf('person', organizationId, personId);
    if (disabledAt !== null || end !== undefined) throw refused('person_disabled');
    if (role === null) throw new Failure('caller.role_forbidden', { auditReason: 'groups_give_no_role' });
    return { kind: 'person', personId, organizationId, role, network, ...signInFacts(claims, this.clock.now()) };
  }
}

/** Whose token it says it is: only to choose by whom it must be signed. */
function issuerNamed(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    throw refused('credential_malformed');
  }
}

/** What the identity provider calls the person, where it is a name. */
function nameOf(claim: unknown): string {
  const name =
    typeof claim === 'string'
      ? claim
          .replace(/\p{Cc}/gu, ' ')
          .trim()
          .slice(0, 120)
      : '';
  return name === '' ? 'Unnamed person' : name;
}

const refused = (auditReason: StaffRefusal): Failure => new Failure('caller.credential_invalid', { auditReason });
