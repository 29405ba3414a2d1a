// The verifier by itself: `npm run build:verifier` makes one file of this, which needs nothing but Node.js.
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkFile } from './audit-check.js';
import { EXIT } from './exit-codes.js';

const USAGE =
  'usage: node forecourt-audit-check.mjs <export.ndjson | deletion-record.json | proof.json> --key <key.pem> [--key <key.pem> …] [--json]\n';

function readArguments(): { file: string; keys: readonly string[]; json: boolean } | undefined {
  const options = { key: { type: 'string', multiple: true }, json: { type: 'boolean', default: false } } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0 || values.key === undefined) return undefined;
    return { file, keys: values.key, json: values.json };
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const asked = readArguments();
  if (asked === undefined) {
    process.stderr.write(USAGE);
    return EXIT.usage;
  }
  const keys = asked.keys.map((path) => createPublicKey(readFileSync(path, 'utf8')));
  const { said, found } = await checkFile(asked.file, keys);
  process.stdout.write(`${asked.json ? JSON.stringify(found) : said}\n`);
  return found.result === 'intact' ? EXIT.done : EXIT.findings;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = EXIT.failed;
  },
);
