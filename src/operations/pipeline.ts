import type { Caller } from '../kernel/caller.js';
import { Failure } from '../kernel/failure/failure.js';
import type { AuditRecord, AuditRecorder } from '../kernel/ports/audit-recorder.js';
import type { RateLimiter } from '../kernel/ports/rate-limiter.js';
import type { Validator } from '../kernel/schema/validator.js';
import { compileValidator } from '../kernel/schema/validator.js';
import type { TraceContext } from '../kernel/trace-context.js';
import type { Clock } from '../kernel/time.js';
import type { AccessDecision } from '../modules/tenancy/index.js';
import { decideAccess } from '../modules/tenancy/index.js';
import type { OperationCatalog } from './catalog.js';
import { findCustomerData } from './customer-data-guard.js';
import type { Answer, Operation } from './operation.js';

/** One call of one operation, as a surface hands it over: protocol matters are settled, nothing is decided. */
export interface Call {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly endpointOrganizationId: string;
  readonly input: unknown;
  readonly surface: AuditRecord['surface'];
  readonly requestId: string;
  readonly traceId: string;
  /** What the caller says this call is part of; for log lines and upstream calls only. */
  readonly trace?: TraceContext | undefined;
}

export interface PipelineOptions {
  readonly anonymousCallsPerMinute: number;
  /** Every nth answer put together from checked parts is checked whole again; 1 checks all (tests). */
  readonly validateEvery: number;
}

interface Passage {
  readonly call: Call;
  readonly now: number;
  decision?: AccessDecision;
}

/**
 * The one way through: limit → validate → decide → run → shape → record. Denials and failures are recorded like answers,
 * and no answer leaves before its record is durable.
 */
export class Pipeline {
  private readonly inputs: ReadonlyMap<Operation, Validator>;
  private readonly outputs: ReadonlyMap<Operation, Validator>;
  private answered = 0;

  /** @throws Error when a schema of the catalogue does not compile: at boot, not at the first call. */
  constructor(
    catalog: OperationCatalog,
    private readonly recorder: AuditRecorder,
    private readonly limiter: RateLimiter,
    private readonly clock: Clock,
    private readonly options: PipelineOptions,
  ) {
    this.inputs = new Map(catalog.all.map((o) => [o, compileValidator(o.inputSchema)]));
    this.outputs = new Map(catalog.all.map((o) => [o, compileValidator(o.outputSchema)]));
  }

  /**
   * Records a call that its surface refuses for its credential, before any operation is looked at.
   * @returns the failure, to be thrown once it is recorded.
   */
  async refuse(call: Omit<Call, 'operation' | 'input'>, operation: string, failure: Failure): Promise<Failure> {
    const { requestId, traceId, surface, endpointOrganizationId } = call;
    await this.recorder.record({
      ...NOTHING_TOUCHED,
      eventId: requestId,
      traceId,
      surface,
      operation,
      occurredAt: this.clock.now(),
      organizationId: endpointOrganizationId,
      actorKind: call.caller.kind,
      actor: actorOf(call.caller),
      decision: 'deny',
      outcome: 'denied',
      reason: failure.context.auditReason ?? failure.code,
      failureCode: failure.code,
    });
    return failure;
  }

  /** @throws Failure; it has been recorded unless recording itself is what failed. */
  async run(call: Call): Promise<Answer> {
    const passage: Passage = { call, now: this.clock.now() };
    let answer: Answer;
    try {
      await this.limit(passage);
      this.validate(passage);
      this.decide(passage);
      answer = await this.execute(passage);
      this.shape(passage, answer);
    } catch (error) {
      const failure = Failure.from(error);
      await this.recorder.record(recordOf(passage, failure));
      throw failure;
    }
    await this.recorder.record(recordOf(passage, undefined, answer));
    return answer;
  }

  private async limit({ call }: Passage): Promise<void> {
    if (call.caller.kind !== 'anonymous') return;
    const taken = this.limiter.take(`anonymous:${call.caller.network}`, this.options.anonymousCallsPerMinute);
    const waitMs = taken instanceof Promise ? await taken : taken;
    if (waitMs !== undefined) throw new Failure('limit.rate_exceeded', { retryAfterMs: waitMs });
  }

  private validate({ call }: Passage): void {
    const violations = validatorOf(this.inputs, call.operation)(call.input);
    if (violations.length > 0) throw new Failure('input.invalid', { violations });
    const customerData = findCustomerData(call.input);
    if (customerData.length > 0) throw new Failure('input.customer_data', { violations: customerData });
  }

  private decide(passage: Passage): void {
    const { call } = passage;
    const { organizationId } = call.operation.targetsOf(call.input);
    const decision = decideAccess({
      caller: call.caller,
      operation: call.operation,
      endpointOrganizationId: call.endpointOrganizationId,
      namedOrganizationId: organizationId,
    });
    passage.decision = decision;
    if (!decision.allow)
      throw new Failure(decision.code, {
        auditReason: decision.reason,
        ...(decision.code === 'resource.not_found' ? { reason: 'not_found' as const } : {}),
      });
  }

  private execute({ call, now }: Passage): Promise<Answer> {
    return call.operation.run({
      caller: call.caller,
      organizationId: call.endpointOrganizationId,
      input: call.input,
      traceId: call.traceId,
      trace: call.trace,
      now,
    });
  }

  /** Undeclared members cannot leave: the closed output schema is checked, of pre-checked answers every nth (decision record 0006). */
  private shape({ call }: Passage, answer: Answer): void {
    if (answer.preValidated && ++this.answered % this.options.validateEvery !== 0) return;
    const body: unknown = JSON.parse(answer.body.plain.toString('utf8'));
    const violations = validatorOf(this.outputs, call.operation)(body);
    if (violations.length > 0)
      throw new Failure('internal.output_invalid', {
        cause: new Error(`${call.operation.name}: ${JSON.stringify(violations.slice(0, 5))}`),
      });
  }
}

const NOTHING_TOUCHED = {
  profile: null,
  client: null,
  rooftopIds: [],
  resourceIds: [],
  policyVersion: null,
  purpose: null,
} as const;

function validatorOf(validators: ReadonlyMap<Operation, Validator>, operation: Operation): Validator {
  const validator = validators.get(operation);
  if (validator === undefined) throw new Error(`${operation.name} is not in the operation table`);
  return validator;
}

function recordOf({ call, now, decision }: Passage, failure?: Failure, answer?: Answer): AuditRecord {
  const denied = decision?.allow === false || failure?.code === 'limit.rate_exceeded';
  return {
    eventId: call.requestId,
    occurredAt: now,
    organizationId: call.endpointOrganizationId,
    traceId: call.traceId,
    surface: call.surface,
    operation: call.operation.name,
    profile: call.operation.profile,
    actorKind: call.caller.kind,
    actor: actorOf(call.caller),
    client: null,
    rooftopIds: answer?.rooftopIds ?? [],
    resourceIds: answer?.resourceIds ?? [],
    decision: denied ? 'deny' : 'allow',
    reason: failure === undefined ? null : (failure.context.auditReason ?? failure.code),
    policyVersion: decision?.policyVersion ?? null,
    outcome: failure === undefined ? 'succeeded' : denied ? 'denied' : 'failed',
    failureCode: failure?.code ?? null,
    purpose: null,
  };
}

function actorOf(caller: Caller): string | null {
  if (caller.kind === 'key') return caller.keyId;
  if (caller.kind === 'agent') return caller.subject;
  return caller.kind === 'system' ? caller.name : null;
}
