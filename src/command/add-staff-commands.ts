import { type Command, Option } from 'commander';
import { makeOutput } from './output.js';
import type { StaffAddOptions } from './staff-commands.js';

/** Adds `staff add` and `staff code`. Their work is loaded when it is asked for. */
export function addStaffCommands(program: Command, finish: (command: Promise<number>) => Promise<void>): void {
  const staff = program.command('staff').description('persons who work for an organization');
  const json = (): Option => new Option('--json', 'write one JSON document instead of text');
  const work = () => import('./staff-commands.js');
  staff
    .command('add')
    .description('add a person, as the operator of this machine')
    .requiredOption('--organization <id>', 'organization')
    .requiredOption('--name <name>', 'for staff to tell persons apart')
    .addOption(
      new Option('--role <role>', 'what they may do').choices(['admin', 'compliance', 'auditor']).makeOptionMandatory(),
    )
    .addOption(json())
    .action((options: StaffAddOptions & { json?: boolean }) =>
      finish(work().then(({ staffAdd }) => staffAdd(options, makeOutput(options.json === true)))),
    );
  staff
    .command('code <person>')
    .description('a one-time code to sign in with; it is shown once')
    .addOption(json())
    .action((person: string, options: { json?: boolean }) =>
      finish(work().then(({ staffCode }) => staffCode(person, makeOutput(options.json === true)))),
    );
}
