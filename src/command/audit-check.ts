import type { KeyObject } from 'node:crypto';
import { createReadStream } from 'node:fs';
// Past the front door, as the standalone verifier: what checks a file loads nothing of the service.
import {
  checkDeletionRecord,
  deletionVerdict,
  readDeletionBundle,
} from '../modules/audit/app/check-deletion-record.js';
import { checkExportFile, exportVerdict } from '../modules/audit/app/check-export-file.js';
import { checkRecordProof, readRecordProof, recordVerdict } from '../modules/audit/app/check-record-proof.js';
import { EXIT } from './exit-codes.js';
import type { Output } from './output.js';
import { readPublicKeys } from './public-keys.js';

/** What a file is worth: for people, and for machines. */
export interface FileCheck {
  readonly said: string;
  readonly found: { readonly result: string };
}

/** Checks an export, a deletion record or the proof of one record, whichever the file is, with nothing but public keys. */
export async function checkFile(file: string, keys: readonly KeyObject[]): Promise<FileCheck> {
  const bundle = await readDeletionBundle(file);
  if (bundle !== undefined) {
    const found = checkDeletionRecord(bundle, keys);
    return { said: deletionVerdict(found), found };
  }
  const proof = await readRecordProof(file);
  if (proof !== undefined) {
    const found = checkRecordProof(proof, keys);
    return { said: recordVerdict(found), found };
  }
  const found = await checkExportFile(createReadStream(file), keys);
  return { said: exportVerdict(found), found };
}

/** `audit check FILE`. Needs no service, no database and no network. */
export async function auditCheck(
  file: string,
  options: { readonly key: readonly string[] },
  output: Output,
): Promise<number> {
  const { said, found } = await checkFile(file, await readPublicKeys(options.key));
  output.result(said, found);
  return found.result === 'intact' ? EXIT.done : EXIT.findings;
}
