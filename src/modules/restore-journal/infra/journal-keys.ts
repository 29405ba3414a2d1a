import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrGenerate } from '../../../platform/config/secrets.js';
import type { Settings } from '../../../platform/config/settings.js';
import { type JournalKey, readJournalKey } from '../domain/journal-key.js';

/** Keys of the journal, the one in use first; none where none is configured. */
export type JournalKeys = readonly JournalKey[];

/** @throws Error when a file is missing or holds no key. */
export async function readJournalKeys(settings: Settings): Promise<JournalKeys> {
  const current = await currentKey(settings);
  if (current === undefined) return [];
  const previous = await Promise.all(settings.RESTORE_JOURNAL_PREVIOUS_KEY_FILES.map((file) => readFile(file, 'utf8')));
  return [current, ...previous].map(readJournalKey);
}

function currentKey(settings: Settings): Promise<string | undefined> {
  if (settings.RESTORE_JOURNAL_KEY_FILE !== undefined) return readFile(settings.RESTORE_JOURNAL_KEY_FILE, 'utf8');
  if (settings.FORECOURT_PROFILE !== 'local') return Promise.resolve(undefined);
  return readOrGenerate(
    join(settings.DATA_DIR, 'secrets', 'restore-journal-key'),
    () => `${randomBytes(32).toString('base64')}\n`,
  );
}

/** Where the journal lies; undefined where none is configured. */
export function journalFolderOf(settings: Settings): string | undefined {
  if (settings.RESTORE_JOURNAL_DIR !== undefined) return settings.RESTORE_JOURNAL_DIR;
  return settings.FORECOURT_PROFILE === 'local' ? join(settings.DATA_DIR, 'restore-journal') : undefined;
}
