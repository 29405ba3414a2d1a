import { Failure } from '../kernel/failure/failure.js';
import type { AuditRecorder, WhenAway } from '../kernel/ports/audit-recorder.js';
import type { Validator } from '../kernel/schema/validator.js';
import { compileValidator } from '../kernel/schema/validator.js';
import type { Clock } from '../kernel/time.js';
import type { DealerDirectory } from '../modules/tenancy/index.js';
import { BUILT_IN, decideAccess, isShownToAll, rooftopIdsOf } from '../modules/tenancy/index.js';
import type { Call } from './call.js';
import type { CallLimits } from './call-allowances.js';
import type { CallLimiter } from './call-limiter.js';
import type { Passage } from './call-record.js';
import { recordOfPassage, recordOfRefusal } from './call-record.js';
import type { OperationCatalog } from './catalog.js';
import { findCustomerData } from './customer-data-guard.js';
import type { Answer, Operation } from './operation.js';
import { untilClosed } from './until-closed.js';

export interface PipelineOptions extends CallLimits {
  /** Every nth answer put together from checked parts is checked whole again; 1 checks all (tests). */
  readonly validateEvery: number;
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
    private readonly limiter: CallLimiter,
    private readonly clock: Clock,
    private readonly options: PipelineOptions,
    private readonly directory: Pick<DealerDirectory, 'find'>,
  ) {
    this.inputs = new Map(catalog.all.map((o) => [o, compileValidator(o.inputSchema)]));
    this.outputs = new Map(catalog.all.map((o) => [o, compileValidator(o.outputSchema)]));
  }

  /**
   * Records a call that its surface refuses for its credential, before any operation is looked at.
   * @returns the failure, to be thrown once it is recorded.
   */
  async refuse(call: Omit<Call, 'operation' | 'input'>, operation: string, failure: Failure): Promise<Failure> {
    await this.recorder.record(recordOfRefusal(call, operation, failure, this.clock.now()));
    return failure;
  }

  /** @throws Failure; it has been recorded unless recording itself is what failed. */
  async run(call: Call): Promise<Answer> {
    const passage: Passage = { call, now: this.clock.now() };
    let answer: Answer;
    try {
      await this.limiter.admit(call);
      this.validate(passage);
      await this.decide(passage);
      // Protected calls fail closed before anything is done: their record could not be written (DAP security profile §7).
      if (whenAwayOf(passage) === 'refuse') this.recorder.assertRecordable();
      answer = await this.execute(passage);
      this.shape(passage, answer);
    } catch (error) {
      const failure = Failure.from(error);
      this.limiter.failed(call, failure.code);
      await this.recorder.record(recordOfPassage(passage, failure), whenAwayOf(passage));
      throw failure;
    }
    await this.recorder.record(recordOfPassage(passage, undefined, answer), whenAwayOf(passage));
    return answer;
  }

  private validate({ call }: Passage): void {
    const violations = validatorOf(this.inputs, call.operation)(call.input);
    if (violations.length > 0) throw new Failure('input.invalid', { violations });
    const customerData = findCustomerData(call.input);
    if (customerData.length > 0) throw new Failure('input.customer_data', { violations: customerData });
  }

  /** The policy is that of the endpoint's organization, whatever the input names: nothing of a tenant is looked up before. */
  private async decide(passage: Passage): Promise<void> {
    const { call, now } = passage;
    const { organizationId, rooftopIds, purpose } = call.operation.targetsOf(call.input);
    passage.targets = { organizationId, rooftopIds, purpose };
    const group = await this.directory.find(call.endpointOrganizationId);
    passage.group = group;
    const decision = decideAccess({
      caller: call.caller,
      operation: call.operation,
      endpointOrganizationId: call.endpointOrganizationId,
      namedOrganizationId: organizationId,
      namedRooftopIds: rooftopIds,
      purpose,
      policy: group?.policy ?? BUILT_IN,
      rooftopIds: group === undefined ? [] : rooftopIdsOf(group),
      now,
    });
    passage.decision = decision;
    if (!decision.allow)
      throw new Failure(decision.code, {
        auditReason: decision.reason,
        ...(decision.code === 'resource.not_found' ? { reason: 'not_found' as const } : {}),
        ...(decision.code === 'grant.scope_insufficient' ? { scopes: call.operation.scopes } : {}),
      });
  }

  private execute({ call, now, decision }: Passage): Promise<Answer> {
    const running = call.operation.run({
      caller: call.caller,
      organizationId: call.endpointOrganizationId,
      rooftops: decision?.allow === true ? decision.rooftops : [],
      input: call.input,
      traceId: call.traceId,
      trace: call.trace,
      now,
    });
    const mayTakeLong = call.operation.safety.effect === 'read_with_authoritative_check';
    return mayTakeLong && call.closed !== undefined ? untilClosed(running, call.closed()) : running;
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

/**
 * What the dealer's policy shows to everybody is answered without the database, whoever asks; everything else fails closed
 * (decision record 0037).
 */
function whenAwayOf({ call: { operation }, group, targets, decision }: Passage): WhenAway {
  if (operation.safety.effect !== 'read') return 'refuse';
  const named = targets?.rooftopIds ?? [];
  const within = decision?.allow === true ? decision.rooftops : [];
  return isShownToAll(group?.policy ?? BUILT_IN, operation, named.length > 0 ? named : within) ? 'spool' : 'refuse';
}

function validatorOf(validators: ReadonlyMap<Operation, Validator>, operation: Operation): Validator {
  const validator = validators.get(operation);
  if (validator === undefined) throw new Error(`${operation.name} is not in the operation table`);
  return validator;
}
