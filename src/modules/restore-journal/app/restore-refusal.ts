import type { StatementFinding, StatementState } from '../domain/compare-statements.js';
import type { JournalCheck } from './check-journal.js';

/** Why the service does not open, for the operator. Names segments, never what is in them. */
export class RestoreRefusal extends Error {
  override readonly name = 'RestoreRefusal';
}

const RUNBOOK = 'See docs/operations/restore.md.';

/** @returns undefined where the service may open. */
export function refusalOf({ findings, foreignHorizon, statements }: JournalCheck): RestoreRefusal | undefined {
  const stated = statementRefusal(statements);
  if (stated !== undefined) return stated;
  const damaged = findings.filter(({ problem }) => problem !== 'database_older');
  if (damaged.length > 0)
    return new RestoreRefusal(
      `the restore journal is not what this database knows it to be: ${damaged.map(({ segmentId, problem }) => `${segmentId} ${problem}`).join(', ')}. ` +
        `Put the journal back and start again; if it is really lost: forecourt restore accept-loss --reason TEXT. ${RUNBOOK}`,
    );
  if (findings.length > 0)
    return new RestoreRefusal(
      `this database is older than the restore journal (${findings.length} segments go further): holds, erasures and revocations since its backup are missing in it. ` +
        `Run: forecourt restore replay. ${RUNBOOK}`,
    );
  if (foreignHorizon)
    return new RestoreRefusal(
      `this database came out of another cluster: records of the trail would not be numbered. Run: forecourt restore replay. ${RUNBOOK}`,
    );
  return undefined;
}

/** A journal that is older than a statement is no journal to replay: what it lacks would never come back. */
export function statementRefusal(statements: readonly StatementFinding[]): RestoreRefusal | undefined {
  const named = (state: StatementState): string =>
    statements
      .filter((statement) => statement.state === state)
      .map(({ name }) => name)
      .join(', ');
  const older = named('journal_older');
  if (older !== '')
    return new RestoreRefusal(
      `the restore journal is older than ${older}: it lacks the entry that was the newest when that was signed, so it was put back to before it. ` +
        `Put the newest copy of the journal back. ${RUNBOOK}`,
    );
  const unsigned = named('not_signed');
  return unsigned === ''
    ? undefined
    : new RestoreRefusal(
        `${unsigned}: no key of this installation signed this as the state of an audit log. ${RUNBOOK}`,
      );
}
