import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts mail files where a mail system sends them from: each once, whole or not at all, and never written over. Files begin with a
 * dot until they are complete.
 */
export class MailFolder {
  constructor(private readonly folder: string | undefined) {}

  /** @param messageId names the file. @returns why there is no file: a code. */
  async put(messageId: string, text: string): Promise<string | undefined> {
    if (this.folder === undefined) return 'mail_folder_missing';
    const file = join(this.folder, `${messageId}.eml`);
    const draft = join(this.folder, `.${messageId}.${randomUUID()}`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await written(draft, text);
      await link(draft, file);
      return undefined;
    } catch (error) {
      // An attempt before this one got as far as the file.
      return (error as NodeJS.ErrnoException).code === 'EEXIST' ? undefined : 'mail_folder_refused';
    } finally {
      await rm(draft, { force: true }).catch(() => undefined);
    }
  }
}

async function written(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
