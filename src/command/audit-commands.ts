import { createHash, createPublicKey } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, readFile, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { ExportRow, Finding, Verification } from '../modules/audit/index.js';
import { ExportAuditLog, ExportChecker, openCheckpoint, VerifyAuditLog } from '../modules/audit/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { EXIT } from './exit-codes.js';
import { explainFailure } from './explain-failure.js';
import type { Output } from './output.js';

/** `audit verify`: the whole trail of an organization, against its signatures and against notes that were kept outside. */
export async function auditVerify(
  options: { readonly organization: string; readonly kept?: readonly string[] },
  output: Output,
): Promise<number> {
  const kept = await Promise.all((options.kept ?? []).map((file) => readFile(file, 'utf8')));
  return withService(commandSettings(), async (service) => {
    const verification = await service.get(VerifyAuditLog).run(options.organization, {
      kept,
      progress: (rows) => {
        output.progress(`${rows} rows`);
      },
    });
    output.progress('');
    output.result(verdictText(verification), verification);
    return verification.result === 'intact' ? EXIT.done : EXIT.findings;
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

/** `audit check FILE`: an export against public keys. Needs no service, no database and no network. */
export async function auditCheck(
  file: string,
  options: { readonly key: readonly string[] },
  output: Output,
): Promise<number> {
  const keys = await Promise.all(options.key.map(async (path) => createPublicKey(await readFile(path, 'utf8'))));
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  let checker: ExportChecker | undefined;
  let rows = 0;
  let problem: string | undefined;
  for await (const line of lines) {
    const value = parsed(line);
    if (checker === undefined) {
      const begun = ExportChecker.begin(value, (note, origin) => openCheckpoint(note, origin, keys));
      if (typeof begun === 'string') problem = begun;
      else checker = begun;
    } else if (isRow(value)) {
      problem = checker.take(value);
      rows++;
    } else problem = 'row_unreadable';
    if (problem !== undefined) break;
  }
  problem ??= checker === undefined ? 'empty' : checker.end();
  const result = problem === undefined ? 'intact' : 'tampered';
  const text = problem === undefined ? `intact: ${rows} rows` : `tampered: ${problem} after ${rows} rows`;
  output.result(text, { result, rows, ...(problem === undefined ? {} : { problem }) });
  return problem === undefined ? EXIT.done : EXIT.findings;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is ExportRow {
  const row = value as Partial<ExportRow> | null | undefined;
  return typeof row === 'object' && row !== null && typeof row.seq === 'number' && typeof row.canon === 'string';
}

function verdictText({ result, rows, checkpoints, uncovered, findings }: Verification): string {
  const size = `${rows} rows, ${checkpoints} checkpoints`;
  const rest = uncovered === 0 ? '' : `, ${uncovered} rows after the newest checkpoint`;
  if (result === 'intact') return `intact: ${size}${rest}`;
  return [`tampered: ${size}${rest}`, ...findings.map(findingText)].join('\n');
}

const findingText = ({ kind, from, to }: Finding): string =>
  `  ${kind} at ${from === to ? `row ${from}` : `rows ${from}–${to}`}`;
