import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  AcceptLoss,
  CheckJournal,
  type KeptStatement,
  refusalOf,
  ReplayJournal,
  type ReplayReport,
  RestoreRefusal,
  type StatementFinding,
  type StatementState,
} from '../modules/restore-journal/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import { explainFailure } from './explain-failure.js';
import { type Output, table } from './output.js';

const REASON_LENGTH = 500;

export interface StatementOptions {
  /** Files with signed states that were kept outside. */
  readonly statement?: readonly string[];
}

/** @throws CommandError for a file that cannot be read */
function readStatements(files: readonly string[]): Promise<readonly KeptStatement[]> {
  return Promise.all(
    files.map(async (file) => {
      const note = await readFile(file, 'utf8').catch(() => {
        throw new CommandError(`cannot read the statement ${basename(file)}`, EXIT.usage);
      });
      return { name: basename(file), note };
    }),
  );
}

/** `restore status`: what the gate would say. Ends with 1 where the service would not open, or a statement is not in order. */
export async function restoreStatus({ statement = [] }: StatementOptions, output: Output): Promise<number> {
  const kept = await readStatements(statement);
  return withService(commandSettings(), async (service) => {
    const check = await service.get(CheckJournal).run(kept).catch(explainFailure);
    const refusal = refusalOf(check);
    const text = refusal?.message ?? (check.unconfigured ? 'no restore journal is configured' : 'the service opens');
    output.result([text, ...check.statements.map(statementText)].join('\n'), {
      opens: refusal === undefined,
      ...check,
    });
    return refusal === undefined ? EXIT.done : EXIT.findings;
  });
}

/** `restore replay`: before anything else opens. May be repeated; it does nothing twice. */
export async function restoreReplay(
  { dryRun, statement = [] }: StatementOptions & { readonly dryRun: boolean },
  output: Output,
): Promise<number> {
  const kept = await readStatements(statement);
  return withService(commandSettings(), async (service) => {
    const report = await service.get(ReplayJournal).run({ dryRun, kept }).catch(explainRefusal);
    output.result(reportText(report, dryRun), { dry_run: dryRun, ...report });
    const damaged =
      report.damage.length > 0 ||
      report.findings.some(({ problem }) => problem !== 'database_older') ||
      report.statements.some(({ state }) => state === 'journal_older' || state === 'not_signed');
    return damaged && dryRun ? EXIT.findings : EXIT.done;
  });
}

/** `restore accept-loss`: for those who really lost the journal. */
export function restoreAcceptLoss({ reason }: { readonly reason: string }, output: Output): Promise<number> {
  if (reason.trim() === '' || reason.length > REASON_LENGTH)
    throw new CommandError(`--reason takes at most ${REASON_LENGTH} characters`, EXIT.usage);
  return withService(commandSettings(), async (service) => {
    const segments = await service.get(AcceptLoss).run(reason).catch(explainFailure);
    const text =
      segments.length === 0
        ? 'nothing is lost'
        : `accepted that entries of these segments are lost:\n${segments.map((id) => `  ${id}`).join('\n')}\nNow run: forecourt restore replay`;
    output.result(text, { segments });
    return EXIT.done;
  });
}

const SAYS: Readonly<Record<StatementState, string>> = {
  in_journal: 'the journal has the entry that was the newest when it was signed',
  journal_older: 'THE JOURNAL IS OLDER: it lacks the entry that was the newest when it was signed',
  names_no_entry: 'it names no entry of the journal and says nothing about it',
  not_signed: 'no key of this installation signed it',
};

const statementText = ({ name, state }: StatementFinding): string => `${name}: ${SAYS[state]}`;

function explainRefusal(error: unknown): never {
  if (error instanceof RestoreRefusal) throw new CommandError(error.message, EXIT.failed);
  return explainFailure(error);
}

function reportText(report: ReplayReport, dryRun: boolean): string {
  const rows = Object.entries(report.outcomes).map(([kind, { replayed, present, absent }]) => [
    kind,
    replayed,
    present,
    absent,
  ]);
  const lines = [
    `${report.entries} entries in the journal, ${report.known} of them in the database`,
    table(['entry', dryRun ? 'would be done' : 'done again', 'there already', 'nothing to do it to'], rows),
    ...(report.unconfirmedReleases > 0
      ? [
          `${report.unconfirmedReleases} releases were not confirmed: their holds stay; release them again if they should not`,
        ]
      : []),
    ...report.torn.map((id) => `${id}: the end was being written when the process died; nobody was answered for it`),
    ...report.damage.map(({ segmentId, kind, line }) => `${segmentId}: ${kind} at line ${line}`),
    ...report.findings.map(({ segmentId, problem }) => `${segmentId}: ${problem}`),
    ...report.statements.map(statementText),
    ...(report.renumbered === undefined
      ? []
      : [`the audit horizon was put where this cluster is; ${report.renumbered} records got their number`]),
  ];
  return lines.join('\n');
}
