import { readFile } from 'node:fs/promises';
import { type NoteKey, parseVerifierKey, type VerifyScope } from '../modules/audit/index.js';
import { CommandError, EXIT } from './exit-codes.js';

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

/** @throws CommandError for a line that is no key of a witness (C2SP tlog-cosignature). */
export function witnessOf(line: string): NoteKey {
  const key = parseVerifierKey(line);
  if (key?.kind === 'cosignature') return key;
  throw new CommandError('--witness-key is the line that a witness prints as its key: name+id+key', EXIT.usage);
}

/** @throws CommandError for parts that do not go together or are none. */
export function scopeOf({ rows, from, to, record, tiles }: VerifyCommandOptions): VerifyScope {
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
  return { kind: 'period', from: instantOf(from), to: instantOf(to) };
}

/** @throws CommandError for anything but an RFC 3339 instant: the database would read more into a text than was meant. */
export function instantOf(text: string): string {
  if (
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  )
    return text;
  throw new CommandError('--from and --to are RFC 3339 instants, for example 2026-11-01T00:00:00Z', EXIT.usage);
}

/** Notes that were kept outside. @throws CommandError for a file that cannot be read. */
export const keptNotes = (files: readonly string[]): Promise<readonly string[]> =>
  Promise.all(
    files.map((file) =>
      readFile(file, 'utf8').catch(() => {
        throw new CommandError('--kept names a file that cannot be read', EXIT.usage);
      }),
    ),
  );
