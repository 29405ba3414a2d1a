import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ExportAuditLog, type Finding, type Verification, VerifyAuditLog } from '../modules/audit/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { EXIT } from './exit-codes.js';
import { instantOf, keptNotes, scopeOf, type VerifyCommandOptions, witnessOf } from './audit-verify-options.js';
import { explainFailure } from './explain-failure.js';
import type { Output } from './output.js';

/** Gives a command what verifies, and closes everything after it. */
export type WithVerifying = (work: (verifying: Pick<VerifyAuditLog, 'run'>) => Promise<number>) => Promise<number>;

const onService: WithVerifying = (work) =>
  withService(commandSettings(), (service) => work(service.get(VerifyAuditLog)));

/**
 * `audit verify`: the trail of an organization, or a part, against its signatures and against notes that were kept outside.
 * What was asked for wrongly is refused before anything is started.
 */
export async function auditVerify(
  options: VerifyCommandOptions,
  output: Output,
  withVerifying: WithVerifying = onService,
): Promise<number> {
  const scope = scopeOf(options);
  const witnesses = (options.witnessKey ?? []).map(witnessOf);
  const kept = await keptNotes(options.kept ?? []);
  return withVerifying(async (verifying) => {
    const progress = (rows: number): void => {
      output.progress(`${rows} rows`);
    };
    const verification = await verifying
      .run(options.organization, { scope, kept, witnesses, progress })
      .catch(explainFailure);
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
  const period = { from: instantOf(options.from), to: instantOf(options.to) };
  return withService(commandSettings(), async (service) => {
    const lines = service.get(ExportAuditLog).lines(options.organization, period);
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
