import { retryAt } from '../../../../kernel/delivery/retry-at.js';
import { newRequestId, traceIdOfRequest } from '../../../../kernel/ids.js';
import type { UnitOfWork } from '../../../../kernel/ports/unit-of-work.js';
import { type Clock, rfc3339InZone } from '../../../../kernel/time.js';
import { dayAfter, daysBetween, endOfDay, localDay } from '../../domain/local-days.js';
import { parseCheckpoint } from '../../domain/log/checkpoint.js';
import { parseNote } from '../../domain/log/signed-note.js';
import { logOrigin } from '../log-names.js';
import type { TransactionalAudit } from '../transactional-audit.js';
import type { DeliveredStatements } from './delivered-statements.js';
import type { StatementCarrier } from './statement-carrier.js';
import type { ClaimedTarget, DueTarget, Statement, TargetProgress } from './target-progress.js';

export interface DeliverStatementsParts {
  readonly progress: TargetProgress;
  readonly delivered: DeliveredStatements;
  readonly unitOfWork: UnitOfWork;
  readonly audit: TransactionalAudit;
  readonly carriers: Readonly<Record<'webhook' | 'mail', StatementCarrier>>;
  readonly clock: Clock;
  readonly gatewayId: string;
}

const LEASE_MS = 60_000;
/** After a longer silence the days before are left out: the newest state says all that they would. */
const DAYS_MAX = 31;

/**
 * Once a day tells each target the newest signed state of the log: three lines that say everything before. A day that was
 * missed is made good. A statement is written down before it goes out and noted when it has arrived: a process that dies in
 * between sends the same again, under the same id.
 */
export class DeliverStatements {
  constructor(private readonly parts: DeliverStatementsParts) {}

  async run(): Promise<void> {
    const { progress, clock } = this.parts;
    for (const due of await progress.due(['webhook', 'mail'], clock.now())) {
      const target = await progress.claim(due, clock.now(), LEASE_MS);
      if (target !== undefined) await this.serve(due, target);
    }
  }

  private async serve(due: DueTarget, target: ClaimedTarget): Promise<void> {
    const { progress, clock } = this.parts;
    const now = clock.now();
    for (const day of await this.openDays(due, target, now)) {
      const statement = await progress.statementOf(due, day, endOfDay(target.timeZone, day), now);
      const problem = await this.deliver(target, statement);
      if (problem !== undefined) {
        await progress.failed(target, { problem, nextAt: retryAt(now, target.failures) });
        return;
      }
      await this.note(target, statement, now);
    }
    await progress.rest(target, endOfDay(target.timeZone, localDay(target.timeZone, now)));
  }

  /** Days that are over and have not been told, in order. */
  private async openDays(
    due: DueTarget,
    { timeZone, createdAt }: ClaimedTarget,
    now: number,
  ): Promise<readonly string[]> {
    const last = await this.parts.progress.lastStatement(due);
    const created = localDay(timeZone, createdAt);
    const first = last === undefined ? created : last.delivered ? dayAfter(last.day) : last.day;
    const today = localDay(timeZone, now);
    return daysBetween(first, today)
      .filter((day) => day < today)
      .slice(-DAYS_MAX);
  }

  private deliver(target: ClaimedTarget, statement: Statement): Promise<string | undefined> {
    const { carriers, gatewayId } = this.parts;
    const checkpoint = statement.note === null ? undefined : parseCheckpoint(parseNote(statement.note)?.text ?? '');
    const endsAt = rfc3339InZone(target.timeZone, endOfDay(target.timeZone, statement.day));
    const origin = logOrigin(gatewayId, target.organizationId);
    const carrier = target.kind === 'mail' ? carriers.mail : carriers.webhook;
    return carrier.deliver(target, { ...statement, endsAt, origin, checkpoint });
  }

  private note({ organizationId, targetId }: ClaimedTarget, { day }: Statement, now: number): Promise<void> {
    const { unitOfWork, delivered, audit } = this.parts;
    const eventId = newRequestId();
    return unitOfWork.withTenant(organizationId, async (tx) => {
      await delivered.mark(tx, targetId, day, now);
      await audit.recordInTransaction(tx, {
        eventId,
        traceId: traceIdOfRequest(eventId),
        occurredAt: now,
        organizationId,
        surface: 'worker',
        operation: 'audit.statement',
        profile: null,
        actorKind: 'system',
        actor: 'audit-statements',
        client: null,
        rooftopIds: [],
        resourceIds: [targetId],
        decision: 'allow',
        reason: null,
        policyVersion: null,
        outcome: 'succeeded',
        failureCode: null,
        purpose: null,
      });
    });
  }
}
