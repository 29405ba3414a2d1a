import { type Command, Option } from 'commander';
import type { GrantOptions } from './grant-commands.js';
import { makeOutput } from './output.js';

const CORE = ['dealeragent.discovery/0.1', 'dealeragent.inventory.read/0.1', 'dealeragent.inventory.availability/0.1'];
const READ = ['dealeragent:inventory:read'];

/** Adds `grant create` and `grant revoke`. Their work is loaded when it is asked for. */
export function addGrantCommands(program: Command, finish: (command: Promise<number>) => Promise<void>): void {
  const grant = program.command('grant').description('what agents may do');
  const json = (): Option => new Option('--json', 'write one JSON document instead of text');
  const work = () => import('./grant-commands.js');
  grant
    .command('create')
    .description('let an agent in; the token of its key is shown once')
    .requiredOption('--organization <id>', 'organization')
    .requiredOption('--subject <name>', 'who the agent is, for example agent:buyer-assistant')
    .option('--rooftop <id...>', 'rooftops, one by one')
    .option('--delegation <id>', 'recorded group delegation instead of rooftops')
    .addOption(new Option('--profile <name...>', 'profiles').default(CORE))
    .addOption(new Option('--scope <name...>', 'scopes').default(READ))
    .addOption(new Option('--purpose <name...>', 'purposes').default(['vehicle_shopping']))
    .requiredOption('--expires-in-days <days>', 'days until it ends', Number)
    .addOption(json())
    .action((options: GrantOptions & { json?: boolean }) =>
      finish(work().then(({ grantCreate }) => grantCreate(options, makeOutput(options.json === true)))),
    );
  grant
    .command('revoke')
    .description('end a grant')
    .requiredOption('--organization <id>', 'organization')
    .requiredOption('--grant <id>', 'grant')
    .addOption(json())
    .action((options: { organization: string; grant: string; json?: boolean }) =>
      finish(work().then(({ grantRevoke }) => grantRevoke(options, makeOutput(options.json === true)))),
    );
}
