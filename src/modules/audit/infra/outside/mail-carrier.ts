import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadStatement, StatementCarrier } from '../../app/outside/statement-carrier.js';
import type { ClaimedTarget } from '../../app/outside/target-progress.js';
import { statementMail } from './statement-mail.js';

/**
 * Statements as mail files for a mail system to send: one for each target and day, whole or not at all, and never written over.
 * Files begin with a dot until they are complete.
 */
export class MailCarrier implements StatementCarrier {
  constructor(
    private readonly folder: string | undefined,
    private readonly from: string,
  ) {}

  async deliver(target: ClaimedTarget, statement: ReadStatement): Promise<string | undefined> {
    if (this.folder === undefined) return 'mail_folder_missing';
    const file = join(this.folder, `${statement.messageId}.eml`);
    const draft = join(this.folder, `.${statement.messageId}.${randomUUID()}`);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await written(draft, statementMail(this.from, target, statement));
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
