import { type Command, Option } from 'commander';
import { makeOutput } from './output.js';
import type { StatementOptions } from './restore-commands.js';

interface JsonOption {
  readonly json?: boolean;
}

/** Adds `restore status`, `restore replay` and `restore accept-loss`. Their work is loaded when it is asked for. */
export function addRestoreCommands(program: Command, finish: (command: Promise<number>) => Promise<void>): void {
  const restore = program.command('restore').description('after a restore of the database');
  const statement = (): Option =>
    new Option(
      '--statement <file...>',
      'signed states that were kept outside: the journal must not be older than they are',
    );
  const json = (): Option => new Option('--json', 'write one JSON document instead of text');
  const work = () => import('./restore-commands.js');
  restore
    .command('status')
    .description('whether the service would open on this database with this journal')
    .addOption(statement())
    .addOption(json())
    .action(({ json, statement }: JsonOption & StatementOptions) =>
      finish(work().then((w) => w.restoreStatus({ ...(statement && { statement }) }, makeOutput(json === true)))),
    );
  restore
    .command('replay')
    .description('do again what the restored database has forgotten: holds, releases, erasures, revocations')
    .option('--dry-run', 'say what would be done, and change nothing')
    .addOption(statement())
    .addOption(json())
    .action(({ json, dryRun = false, statement }: JsonOption & StatementOptions & { dryRun?: boolean }) =>
      finish(
        work().then((w) => w.restoreReplay({ dryRun, ...(statement && { statement }) }, makeOutput(json === true))),
      ),
    );
  restore
    .command('accept-loss')
    .description('go on without entries of the journal that are really lost')
    .requiredOption('--reason <text>', 'why; it is kept and audited')
    .addOption(json())
    .action(({ json, reason }: JsonOption & { reason: string }) =>
      finish(work().then((w) => w.restoreAcceptLoss({ reason }, makeOutput(json === true)))),
    );
}
