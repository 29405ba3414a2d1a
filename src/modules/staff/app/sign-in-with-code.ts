import { newRequestId, PLATFORM_TENANT, traceIdOfRequest } from '../../../kernel/ids.js';
import { LIMITS } from '../../../kernel/limits.js';
import type { AuditRecorder } from '../../../kernel/ports/audit-recorder.js';
import type { RateLimiter } from '../../../kernel/ports/rate-limiter.js';
import type { StaffPerson, StaffSignIn } from '../../../kernel/ports/staff-sign-in.js';
import type { TenantTransaction, UnitOfWork } from '../../../kernel/ports/unit-of-work.js';
import type { Clock } from '../../../kernel/time.js';
import { codeMatches, readCode } from '../domain/one-time-code.js';
import type { FoundPerson, StaffDirectory, StaffStore } from './staff-store.js';

/** Every answer takes at least this long, so that its time tells nothing. Milliseconds. */
const ANSWER_AFTER_MS = 250;
/** In place of a person or code that there is not: the same work is done, in vain. */
const NOBODY = 'staff.nobody';
const NO_CODE = '';

/** The true reasons behind a refusal: for the audit trail alone. */
type Refusal =
  'network_limited' | 'person_unknown' | 'person_disabled' | 'signs_in_elsewhere' | 'too_many_attempts' | 'code_wrong';

export interface SignInParts {
  readonly unitOfWork: UnitOfWork;
  readonly directory: StaffDirectory;
  readonly store: StaffStore;
  readonly recorder: AuditRecorder;
  readonly limiter: RateLimiter | undefined;
  /** Keys of the stored hashes, the current one first. */
  readonly peppers: readonly Uint8Array[];
  readonly clock: Clock;
}

/** Use case: a person proves who they are with a one-time code. */
export class SignInWithCode implements StaffSignIn {
  constructor(private readonly parts: SignInParts) {}

  async signIn(personId: string, oneTimeCode: string, network = 'unknown'): Promise<StaffPerson | undefined> {
    const floor = new Promise((done) => setTimeout(done, ANSWER_AFTER_MS));
    const tried = await Promise.allSettled([this.attempt(personId, oneTimeCode, network), floor]);
    if (tried[0].status === 'rejected') throw tried[0].reason;
    return tried[0].value;
  }

  private async attempt(personId: string, typed: string, network: string): Promise<StaffPerson | undefined> {
    const { limiter, directory } = this.parts;
    const limit = LIMITS.staffSignInsPerMinute.value;
    const verdict = await limiter?.take([{ policy: 'failures', key: `staff-sign-in:${network}`, limit }]);
    const person = await directory.find(personId);
    const refusal = verdict?.allowed === false ? 'network_limited' : refusalOf(person);
    const spent = await this.spend(refusal === undefined ? personId : NOBODY, person, readCode(typed) ?? NO_CODE);
    const reason = refusal ?? spent;
    await this.record(person, reason);
    if (reason !== undefined || person?.role == null) return undefined;
    return { personId, organizationId: person.organizationId, name: person.name, role: person.role };
  }

  /** Attempts are counted before anything is compared, in a transaction of their own: parallel guesses are all counted. */
  private async spend(personId: string, person: FoundPerson | undefined, code: string): Promise<Refusal | undefined> {
    const { unitOfWork, store, clock } = this.parts;
    const organizationId = person?.organizationId ?? PLATFORM_TENANT;
    const now = clock.now();
    const windowMs = LIMITS.staffCodeSeconds.value * 1000;
    const attempts = await unitOfWork.withTenant(organizationId, (tx) =>
      store.countAttempt(tx, personId, now, windowMs),
    );
    return unitOfWork.withTenant(organizationId, async (tx) => {
      const spent = await this.spendIn(tx, personId, code, attempts <= LIMITS.staffCodeAttempts.value, now);
      if (spent) return undefined;
      return attempts > LIMITS.staffCodeAttempts.value ? 'too_many_attempts' : 'code_wrong';
    });
  }

  private async spendIn(
    tx: TenantTransaction,
    personId: string,
    code: string,
    mayTry: boolean,
    now: number,
  ): Promise<boolean> {
    const { store, peppers } = this.parts;
    let found: string | undefined;
    for (const open of await store.openCodes(tx, personId, now))
      if (codeMatches(peppers, personId, code, open.codeHash)) found = open.codeId;
    const spent = await store.spendCode(tx, mayTry && found !== undefined ? found : NO_CODE, now);
    if (spent) await store.forgetAttempts(tx, personId);
    return spent;
  }

  private record(person: FoundPerson | undefined, reason: Refusal | undefined): Promise<void> {
    const { recorder, clock } = this.parts;
    const eventId = newRequestId();
    return recorder.record({
      eventId,
      traceId: traceIdOfRequest(eventId),
      occurredAt: clock.now(),
      organizationId: person?.organizationId ?? PLATFORM_TENANT,
      surface: 'admin',
      operation: 'staff.sign_in',
      profile: null,
      // Who failed is not who they said they are.
      ...(reason === undefined && person !== undefined
        ? { actorKind: 'person', actor: person.personId }
        : { actorKind: 'anonymous', actor: null }),
      client: null,
      rooftopIds: [],
      resourceIds: person === undefined ? [] : [person.personId],
      policyVersion: null,
      purpose: null,
      reason: reason ?? null,
      ...(reason === undefined
        ? { decision: 'allow', outcome: 'succeeded', failureCode: null }
        : { decision: 'deny', outcome: 'denied', failureCode: 'caller.credential_invalid' }),
    });
  }
}

function refusalOf(person: FoundPerson | undefined): Refusal | undefined {
  if (person === undefined) return 'person_unknown';
  if (person.disabledAt !== null) return 'person_disabled';
  return person.outside || person.role === null ? 'signs_in_elsewhere' : undefined;
}
