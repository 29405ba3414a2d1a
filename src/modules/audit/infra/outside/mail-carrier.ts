import type { MailFolder } from '../../../../platform/delivery/mail-folder.js';
import type { ReadStatement, StatementCarrier } from '../../app/outside/statement-carrier.js';
import type { ClaimedTarget } from '../../app/outside/target-progress.js';
import { statementMail } from './statement-mail.js';

/** Statements as mail files: one for each target and day. */
export class MailCarrier implements StatementCarrier {
  constructor(
    private readonly folder: MailFolder,
    private readonly from: string,
  ) {}

  deliver(target: ClaimedTarget, statement: ReadStatement): Promise<string | undefined> {
    return this.folder.put(statement.messageId, statementMail(this.from, target, statement));
  }
}
