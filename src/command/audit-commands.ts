import { readFile } from 'node:fs/promises';
import type { Finding, Verification } from '../modules/audit/index.js';
import { VerifyAuditLog } from '../modules/audit/index.js';
import { withService } from '../process/with-service.js';
import { commandSettings } from './command-settings.js';
import { EXIT } from './exit-codes.js';
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

function verdictText({ result, rows, checkpoints, uncovered, findings }: Verification): string {
  const size = `${rows} rows, ${checkpoints} checkpoints`;
  const rest = uncovered === 0 ? '' : `, ${uncovered} rows after the newest checkpoint`;
  if (result === 'intact') return `intact: ${size}${rest}`;
  return [`tampered: ${size}${rest}`, ...findings.map(findingText)].join('\n');
}

const findingText = ({ kind, from, to }: Finding): string =>
  `  ${kind} at ${from === to ? `row ${from}` : `rows ${from}–${to}`}`;
