import 'reflect-metadata';
import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../platform/config/version.js';
import { addGrantCommands } from './add-grant-commands.js';
import { addLoginCommand } from './add-login-command.js';
import { addRestoreCommands } from './add-restore-commands.js';
import { addStaffCommands } from './add-staff-commands.js';
import { addWitnessCommands } from './add-witness-commands.js';
import type { VerifyCommandOptions } from './audit-verify-options.js';
import { CommandError, EXIT } from './exit-codes.js';
import type { FeedCheckOptions } from './feed-check.js';
import { makeOutput } from './output.js';
import { DEFAULT_GATEWAY_URL, stdioCommand } from './stdio-command.js';

const program = new Command('forecourt')
  .description('The agent gateway for dealer groups.')
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError();
/**
 * Loaded for the commands that need it: loading the service takes seconds of a processor, and the bridge for desktop clients and the
 * checks of files start without it.
 */
const service = () => import('./service-commands.js');
const trail = () => import('./audit-commands.js');
const json = (): Option => new Option('--json', 'write one JSON document instead of text');

const feed = program.command('feed').description('look at, import and report on feed files');

feed
  .command('check <file>')
  .description('dry run: what would be published and what quarantined')
  .addOption(new Option('--profile <name>', 'format of the file').default('auto'))
  .option('--organization <id>', 'organization that the rows must name')
  .option('--rooftop <id>', 'rooftop of the whole file; without it every store is accepted')
  .option('--key <store=rooftop...>', 'rooftop of each store key in the file')
  .addOption(new Option('--currency <code>', 'currency of prices that name none').default('USD'))
  .addOption(new Option('--time-zone <zone>', 'zone of dates without offset').default('America/New_York'))
  .addOption(
    new Option('--odometer-unit <unit>', 'unit of odometers in formats without a unit column').choices(['mi', 'km']),
  )
  .option('--settings <file>', 'JSON file with further feed settings')
  .addOption(json())
  .action((file: string, options: FeedCheckOptions & { json?: boolean }) =>
    finish(
      import('./feed-check.js').then(({ feedCheck }) => feedCheck(file, options, makeOutput(options.json === true))),
    ),
  );

feed
  .command('import <file>')
  .description('import a file into a configured feed and wait for the outcome')
  .requiredOption('--organization <id>', 'organization')
  .requiredOption('--feed <id>', 'feed')
  .option('--force', 'import even when this very content is being served')
  .addOption(json())
  .action((file: string, options: { organization: string; feed: string; force?: boolean; json?: boolean }) =>
    finish(service().then(({ feedImport }) => feedImport(file, options, makeOutput(options.json === true)))),
  );

feed
  .command('reports')
  .description('the last runs of a feed, or the rows of one run')
  .requiredOption('--organization <id>', 'organization')
  .option('--feed <id>', 'feed whose runs to list')
  .option('--run <id>', 'run whose rows to list')
  .addOption(json())
  .action((options: { organization: string; feed?: string; run?: string; json?: boolean }) =>
    finish(service().then(({ feedReports }) => feedReports(options, makeOutput(options.json === true)))),
  );

program
  .command('migrate')
  .description('bring the database to this version')
  .addOption(json())
  .action((options: { json?: boolean }) =>
    finish(service().then(({ migrateCommand }) => migrateCommand(makeOutput(options.json === true)))),
  );

const audit = program.command('audit').description('the audit trail');

audit
  .command('export')
  .description('write a period of the trail to a file that can be checked anywhere')
  .requiredOption('--organization <id>', 'organization')
  .requiredOption('--from <instant>', 'first instant, RFC 3339')
  .requiredOption('--to <instant>', 'first instant that is not exported any more, RFC 3339')
  .requiredOption('--out <file>', 'file to write; must not exist')
  .addOption(json())
  .action((options: { organization: string; from: string; to: string; out: string; json?: boolean }) =>
    finish(trail().then(({ auditExport }) => auditExport(options, makeOutput(options.json === true)))),
  );

audit
  .command('check <file>')
  .description('check an export without a service or a database')
  .requiredOption('--key <pem...>', 'public keys that may have signed it')
  .addOption(json())
  .action((file: string, options: { key: string[]; json?: boolean }) =>
    finish(
      import('./audit-check.js').then(({ auditCheck }) => auditCheck(file, options, makeOutput(options.json === true))),
    ),
  );

audit
  .command('verify')
  .description('check every record, tile and signed checkpoint of an organization, or a part of it')
  .requiredOption('--organization <id>', 'organization')
  .option('--rows <first-last>', 'only these rows, counted from 0, against the newest checkpoint')
  .option('--from <instant>', 'only rows recorded from this instant, RFC 3339')
  .option('--to <instant>', 'only rows recorded before this instant, RFC 3339')
  .option('--record <id>', 'only the record of this id')
  .option('--tiles', 'leaves, tiles and checkpoints of the whole log, without reading records: quicker')
  .option('--kept <file...>', 'signed notes that were kept outside: the trail must contain what they name')
  .option('--witness-key <key...>', 'keys of witnesses: kept notes count only with the signature of one of them')
  .addOption(json())
  .action((options: VerifyCommandOptions & { json?: boolean }) =>
    finish(trail().then(({ auditVerify }) => auditVerify(options, makeOutput(options.json === true)))),
  );

program
  .command('stdio')
  .description('bridge for desktop clients: MCP on standard input and output, a running gateway behind it')
  .addOption(new Option('--url <url>', 'MCP endpoint of the gateway').default(DEFAULT_GATEWAY_URL))
  .action(({ url }: { url: string }) => finish(stdioCommand(url)));

program
  .command('key')
  .description('API keys')
  .command('create')
  .description('create a key; its secret is shown once')
  .option('--organization <id>', 'organization')
  .option('--operator', 'a key of the platform, which creates organizations')
  .requiredOption('--name <name>', 'person or program that holds the key')
  .addOption(
    new Option('--role <role>', 'what it may do')
      .choices(['admin', 'compliance', 'auditor', 'app'])
      .makeOptionMandatory(),
  )
  .option('--expires-in-days <days>', 'days until it expires', Number)
  .addOption(json())
  .action(
    (options: {
      organization?: string;
      operator?: boolean;
      name: string;
      role: 'admin' | 'compliance' | 'auditor' | 'app';
      expiresInDays?: number;
      json?: boolean;
    }) => finish(service().then(({ keyCreate }) => keyCreate(options, makeOutput(options.json === true)))),
  );

addWitnessCommands(audit, finish);
addGrantCommands(program, finish);
addStaffCommands(program, finish);
addRestoreCommands(program, finish);
addLoginCommand(program, finish);

async function finish(command: Promise<number>): Promise<void> {
  process.exitCode = await command;
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error);
}

/** Commander has already written its own complaints. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}
