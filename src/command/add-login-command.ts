import { type Command, Option } from 'commander';
import type { LoginOptions } from './login-command.js';
import { makeOutput } from './output.js';

/** Adds `login`. Its work is loaded when it is asked for. */
export function addLoginCommand(program: Command, finish: (command: Promise<number>) => Promise<void>): void {
  program
    .command('login')
    .description('sign in as a person of the staff; the access token is written to a file that only you can read')
    .requiredOption('--person <id>', 'who signs in')
    .option('--code <code>', 'one-time code; asked for when it is left out')
    .addOption(new Option('--url <url>', 'address of the service').default('http://127.0.0.1:8080'))
    .option('--out <file>', 'file of the token; default: DATA_DIR/secrets/staff-PERSON.token')
    .addOption(new Option('--json', 'write one JSON document instead of text'))
    .action((options: LoginOptions & { json?: boolean }) =>
      finish(import('./login-command.js').then(({ login }) => login(options, makeOutput(options.json === true)))),
    );
}
