import { mailMessage } from '../../../../platform/delivery/mail-message.js';
import type { ReadStatement } from '../../app/outside/statement-carrier.js';
import type { ClaimedTarget } from '../../app/outside/target-progress.js';

/** A statement as a mail: the lines to read, and the note to keep as it was signed. */
export function statementMail(from: string, target: ClaimedTarget, statement: ReadStatement): string {
  const { day, endsAt, origin, messageId, note } = statement;
  const fileName = `${origin.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}.${day}.note`;
  return mailMessage({
    ...{ from, to: target.address, subject: `Audit log of ${target.organizationId}, ${day}`, date: endsAt, messageId },
    text: readable(statement, target),
    ...(note === null ? {} : { attachment: { fileName, content: note } }),
  });
}

function readable({ day, endsAt, origin, checkpoint }: ReadStatement, target: ClaimedTarget): string {
  const lines =
    checkpoint === undefined
      ? [`Nothing had been signed in ${origin}.`]
      : [origin, String(checkpoint.size), Buffer.from(checkpoint.root).toString('base64')];
  return [
    `The audit log of ${target.organizationId} at the end of ${day} (${endsAt}):`,
    '',
    ...lines,
    '',
    'Keep this message. With the attached note, "forecourt audit verify --kept" shows whether the log',
    'still contains everything that it contained on this day.',
    '',
  ].join('\n');
}
