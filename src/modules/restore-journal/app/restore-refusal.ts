import type { JournalCheck } from './check-journal.js';

/** Why the service does not open, for the operator. Names segments, never what is in them. */
export class RestoreRefusal extends Error {
  override readonly name = 'RestoreRefusal';
}

const RUNBOOK = 'See docs/operations/restore.md.';

/** @returns undefined where the service may open. */
export function refusalOf({ findings, foreignHorizon }: JournalCheck): RestoreRefusal | undefined {
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
