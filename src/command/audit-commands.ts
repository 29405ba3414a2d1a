import { createHash, createPublicKey } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, readFile, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Finding, NoteKey, Verification, VerifyScope } from '../modules/audit/index.js';
import {
  checkDeletionRecord,
  checkExportFile,
  deletionVerdict,
  ExportAuditLog,
  exportVerdict,
  parseVerifierKey,
  checkRecordProof,
  readDeletionBundle,
  readRecordProof,
  recordVerdict,
  VerifyAuditLog,
} from '../modules/audit/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { CommandError, EXIT } from './exit-codes.js';
import { explainFailure } from './explain-failure.js';
import type { Output } from './output.js';

export interface VerifyCommandOptions {
  readonly organization: string;
  readonly kept?: readonly string[];
  readonly witnessKey?: readonly string[];
  readonly rows?: string;
  readonly from?: string;
  readonly to?: string;
  readonly record?: string;
  readonly tiles?: boolean;
}

/** `audit verify`: the trail of an organization, or a part, against its signatures and against notes that were kept outside. */
export async function auditVerify(options: VerifyCommandOptions, output: Output): Promise<number> {
  const scope = scopeOf(options);
  const witnesses = (options.witnessKey ?? []).map(witnessOf);
  const kept = await Promise.all((options.kept ?? []).map((file) => readFile(file, 'utf8')));
  return withService(commandSettings(), async (service) => {
    const progress = (rows: number): void => {
      output.progress(`${rows} rows`);
    };
    const verifying = service.get(VerifyAuditLog).run(options.organization, { scope, kept, witnesses, progress });
    const verification = await verifying.catch(explainFailure);
    output.progress('');
    output.result(verdictText(verification), verification);
    return verification.result === 'tampered' ? EXIT.findings : EXIT.done;
  });
}

/** `audit export`: a period of the trail as a file that can be checked anywhere. An existing file is not overwritten. */
export async function auditExport(
  options: { readonly organization: string; readonly from: string; readonly to: string; readonly out: string },
  output: Output,
): Promise<number> {
  return withService(commandSettings(), async (service) => {
    const lines = service.get(ExportAuditLog).lines(options.organization, { from: options.from, to: options.to });
    const draft = `${options.out}.part`;
    const digest = createHash('sha256');
    await pipeline(
      lines,
      async function* (chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) {
          digest.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(draft, { mode: 0o600 }),
    ).catch(explainFailure);
    await link(draft, options.out); // not rename, which would replace a file of that name
    await rm(draft);
    const sha256 = digest.digest('hex');
    output.result(`${options.out}\nsha256 ${sha256}`, { file: options.out, sha256 });
    return EXIT.done;
  });
}

/** `audit check FILE`: an export or a deletion record against public keys. Needs no service, no database and no network. */
export async function auditCheck(
  file: string,
  options: { readonly key: readonly string[] },
  output: Output,
): Promise<number> {
  const keys = await Promise.all(options.key.map(async (path) => createPublicKey(await readFile(path, 'utf8'))));
  const bundle = await readDeletionBundle(file);
  if (bundle !== undefined) {
    const deletion = checkDeletionRecord(bundle, keys);
    output.result(deletionVerdict(deletion), deletion);
    return deletion.result === 'intact' ? EXIT.done : EXIT.findings;
  }
  const proof = await readRecordProof(file);
  if (proof !== undefined) {
    const record = checkRecordProof(proof, keys);
    output.result(recordVerdict(record), record);
    return record.result === 'intact' ? EXIT.done : EXIT.findings;
  }
  const check = await checkExportFile(createReadStream(file), keys);
  output.result(exportVerdict(check), check);
  return check.result === 'intact' ? EXIT.done : EXIT.findings;
}

/** @throws CommandError for a line that is no key of a witness (C2SP tlog-cosignature). */
function witnessOf(line: string): NoteKey {
  const key = parseVerifierKey(line);
  if (key?.kind === 'cosignature') return key;
  throw new CommandError('--witness-key is the line that a witness prints as its key: name+id+key', EXIT.usage);
}

/** @throws CommandError for parts that do not go together or are none. */
function scopeOf({ rows, from, to, record, tiles }: VerifyCommandOptions): VerifyScope {
  const asked = [rows, from ?? to, record, tiles].filter((part) => part !== undefined);
  if (asked.length > 1) throw new CommandError('verify one of --rows, --from with --to, --record, --tiles', EXIT.usage);
  if (tiles === true) return { kind: 'tiles' };
  if (record !== undefined) return { kind: 'record', eventId: record };
  if (rows !== undefined) {
    const [, first, last] = /^(\d{1,15})-(\d{1,15})$/.exec(rows) ?? [];
    if (first === undefined || last === undefined || Number(first) > Number(last))
      throw new CommandError('--rows is the first and the last row, for example 0-999', EXIT.usage);
    return { kind: 'rows', from: Number(first), to: Number(last) + 1 };
  }
  if (from === undefined && to === undefined) return { kind: 'whole' };
  if (from === undefined || to === undefined) throw new CommandError('a period needs --from and --to', EXIT.usage);
  return { kind: 'period', from, to };
}

function verdictText({
  result,
  rows,
  checkpoints,
  uncovered,
  redacted,
  pruned,
  vaulted = 0,
  findings,
}: Verification): string {
  const size = `${rows} rows, ${checkpoints} checkpoints`;
  const rest = uncovered === 0 ? '' : `, ${uncovered} rows after the newest checkpoint`;
  const erased = redacted === 0 ? '' : `, ${redacted} of them redacted`;
  const gone = pruned && `rows before ${pruned.minIndex} pruned by run ${pruned.runId} under policy ${pruned.policy}`;
  const held = vaulted === 0 ? [] : [`  ${vaulted} held records of them stand in the vault`];
  const lines = findings.map(findingText);
  return [`${result}: ${size}${erased}${rest}`, ...(gone === undefined ? [] : [`  ${gone}`]), ...held, ...lines].join(
    '\n',
  );
}

const findingText = ({ kind, from, to }: Finding): string =>
  `  ${kind} at ${from === to ? `row ${from}` : `rows ${from}–${to}`}`;
