import { type Command, Option } from 'commander';
import type { WitnessCommandOptions } from './audit-witness.js';
import { makeOutput } from './output.js';

/** Adds to `audit` what those do who keep its states outside: `witness`, `consistency`, `key`. Loaded when it is asked for. */
export function addWitnessCommands(audit: Command, finish: (command: Promise<number>) => Promise<void>): void {
  const json = (): Option => new Option('--json', 'write one JSON document instead of text');
  audit
    .command('witness')
    .description("a dealer group's own witness: signs states of the log that continue what it signed before")
    .requiredOption('--key <file>', 'its own private key; made where there is none')
    .requiredOption('--state <folder>', 'where it keeps what it signed')
    .requiredOption('--log-key <pem...>', 'public keys of the log (audit key)')
    .option('--origin <name...>', 'logs that it watches; without it all that a key signs for')
    .addOption(new Option('--name <name>', 'name that it signs under').default('witness'))
    .addOption(new Option('--listen <host:port>', 'address to listen on').default('127.0.0.1:7311'))
    .addOption(json())
    .action((options: WitnessCommandOptions & { json?: boolean }) =>
      finish(
        import('./audit-witness.js').then(({ auditWitness }) =>
          auditWitness(options, makeOutput(options.json === true)),
        ),
      ),
    );
  audit
    .command('consistency <older> <newer>')
    .description('check that one kept note continues the other')
    .requiredOption('--key <pem...>', 'public keys that may have signed them')
    .option('--proof <file>', 'answer of /admin/v1/audit/consistency for the two sizes')
    .addOption(json())
    .action((older: string, newer: string, options: { key: string[]; proof?: string; json?: boolean }) =>
      finish(
        import('./audit-consistency.js').then(({ auditConsistency }) =>
          auditConsistency({ older, newer }, options, makeOutput(options.json === true)),
        ),
      ),
    );
  audit
    .command('key')
    .description('the public key of this installation, for audit check')
    .option('--organization <id>', 'list all keys of its log by id, earlier ones included')
    .addOption(json())
    .action((options: { organization?: string; json?: boolean }) =>
      finish(import('./audit-key.js').then(({ auditKey }) => auditKey(options, makeOutput(options.json === true)))),
    );
}
