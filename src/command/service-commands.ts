import { basename } from 'node:path';
import type { KeyRole } from '../kernel/caller.js';
import { newRequestId, PLATFORM_TENANT, traceIdOfRequest } from '../kernel/ids.js';
import { CREATE_KEY } from '../modules/auth/index.js';
import type { CreateKey } from '../modules/auth/index.js';
import { FeedReports, ReceiveFeedFile, RunFeedImport } from '../modules/inventory/index.js';
import type { DealerDirectory } from '../modules/tenancy/index.js';
import { DEALER_DIRECTORY } from '../modules/tenancy/index.js';
import { migrateDatabase } from '../process/prepare-database.js';
import { attachDatabase } from '../process/attach-database.js';
import type { ServiceParts } from '../process/service-parts.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import { explainFailure } from './explain-failure.js';
import { openFile } from './file-bytes.js';
import type { Output } from './output.js';
import { table } from './output.js';

const POLL_MS = 300;
const DAY_MS = 86_400_000;

/** `feed import FILE`: takes the file in and runs the import here, unless a worker is quicker. */
export async function feedImport(
  path: string,
  options: { organization: string; feed: string; force?: boolean },
  output: Output,
): Promise<number> {
  const file = await openFile(path);
  return withService(commandSettings(), async (service) => {
    const { organization, feed } = options;
    const receipt = await service
      .get(ReceiveFeedFile)
      .run(
        {
          organizationId: organization,
          feedId: feed,
          name: basename(path),
          origin: 'command',
          chunks: file.chunks(),
          ...(options.force === true ? { force: true } : {}),
        },
        origin('forecourt feed import'),
      )
      .catch(explainFailure);
    if (receipt.outcome === 'already_published') {
      output.result(`this content is being served already (run ${receipt.runId}); --force imports it again`, receipt);
      return EXIT.done;
    }
    const progress = (state: object): void => output.progress(`importing: ${JSON.stringify(state)}`);
    await service.get(RunFeedImport).run(organization, receipt.runId, { progress });
    const run = await waitForEnd(service.get(FeedReports), organization, receipt.runId);
    output.progress('');
    output.result(runText(run), run);
    return run.state === 'published' ? EXIT.done : EXIT.findings;
  });
}

/** `feed reports`: runs of a feed, newest first, or what a run did with its rows. */
export function feedReports(
  options: { organization: string; feed?: string; run?: string },
  output: Output,
): Promise<number> {
  if ((options.feed === undefined) === (options.run === undefined))
    throw new CommandError('name either --feed or --run', EXIT.usage);
  return withService(commandSettings(), async (service) => {
    const reports = service.get(FeedReports);
    if (options.run !== undefined) {
      const rows = await reports
        .rows(options.organization, options.run, { after: 0, limit: 500 })
        .catch(explainFailure);
      output.result(
        table(
          ['line', 'record', 'disposition', 'reason', 'column', 'VIN'],
          rows.map((r) => [r.line, r.record, r.disposition, r.reason, r.columnName ?? '', r.vin ?? '']),
        ),
        rows,
      );
    } else {
      const runs = await reports.runs(options.organization, options.feed ?? '', { limit: 20 }).catch(explainFailure);
      output.result(runs.length === 0 ? 'no runs' : runs.map(runText).join('\n'), runs);
    }
    return EXIT.done;
  });
}

/** `migrate`: the database brought to this version. */
export async function migrateCommand(output: Output): Promise<number> {
  const settings = commandSettings();
  const lines: string[] = [];
  const database = await attachDatabase(settings, (line) => lines.push(line));
  try {
    await migrateDatabase(database.settings, (line) => lines.push(line));
  } finally {
    await database.stop();
  }
  output.result([...lines, 'the database is up to date'].join('\n'), { up_to_date: true, log: lines });
  return EXIT.done;
}

/** `key create`: a key for a person or program, or for an operator; the token is written once and kept nowhere. */
export function keyCreate(
  options: { organization?: string; operator?: boolean; name: string; role: KeyRole; expiresInDays?: number },
  output: Output,
): Promise<number> {
  const days = options.expiresInDays;
  if (days !== undefined && !(Number.isInteger(days) && days > 0))
    throw new CommandError('--expires-in-days takes a whole number of days', EXIT.usage);
  if ((options.organization === undefined) === (options.operator !== true))
    throw new CommandError('name either --organization or --operator', EXIT.usage);
  const organizationId = options.organization ?? PLATFORM_TENANT;
  return withService(commandSettings(), async (service) => {
    if (options.operator !== true && !(await isServed(service, organizationId)))
      throw new CommandError('there is no such organization', EXIT.usage);
    const { requestId, traceId } = origin('forecourt key create');
    const created = await service
      .get<CreateKey>(CREATE_KEY)
      .run(
        {
          organizationId,
          name: options.name,
          role: options.role,
          expiresAt: days === undefined ? null : Date.now() + days * DAY_MS,
        },
        {
          eventId: requestId,
          traceId,
          surface: 'command',
          actorKind: 'system',
          actor: 'forecourt key create',
          client: null,
        },
      )
      .catch(explainFailure);
    output.result(`${created.token}\nThis is shown once. Send it as: Authorization: Bearer …`, created);
    return EXIT.done;
  });
}

async function isServed(service: ServiceParts, organizationId: string): Promise<boolean> {
  return (await service.get<DealerDirectory>(DEALER_DIRECTORY).find(organizationId)) !== undefined;
}

function origin(actor: string): {
  requestId: string;
  traceId: string;
  surface: 'command';
  actorKind: 'system';
  actor: string;
} {
  const requestId = newRequestId();
  return { requestId, traceId: traceIdOfRequest(requestId), surface: 'command', actorKind: 'system', actor };
}

type Run = Awaited<ReturnType<FeedReports['run']>>;

async function waitForEnd(reports: FeedReports, organizationId: string, runId: string): Promise<Run> {
  for (;;) {
    const run = await reports.run(organizationId, runId);
    if (run.state !== 'queued' && run.state !== 'running') return run;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

function runText(run: Run): string {
  const held = run.holdReasons.length === 0 ? '' : `, held for ${run.holdReasons.join(', ')}`;
  return `${run.runId}  ${run.state}${held}  ${JSON.stringify(run.report)}`;
}
