import type { ReadStatement } from '../../app/outside/statement-carrier.js';
import type { ClaimedTarget } from '../../app/outside/target-progress.js';

const BOUNDARY = 'forecourt-statement';
const LINE = 76;

/** A statement as a mail (RFC 5322): the lines to read, and the note to keep as it was signed. */
export function statementMail(from: string, target: ClaimedTarget, statement: ReadStatement): string {
  const { day, endsAt, origin, messageId, note } = statement;
  const head = [
    `From: ${from}`,
    `To: ${target.address}`,
    `Subject: Audit log of ${target.organizationId}, ${day}`,
    `Date: ${mailDate(endsAt)}`,
    `Message-ID: <${messageId}@${domainOf(from)}>`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
  ];
  const text = part('text/plain; charset=utf-8', readable(statement, target));
  const file = `attachment; filename="${origin.replaceAll(/[^A-Za-z0-9._-]+/g, '-')}.${day}.note"`;
  const attached = note === null ? [] : part('application/octet-stream', note, file);
  return [...head, '', ...text, ...attached, `--${BOUNDARY}--`, ''].join('\r\n');
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

function part(type: string, content: string, disposition?: string): string[] {
  const encoded = Buffer.from(content).toString('base64');
  return [
    `--${BOUNDARY}`,
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: base64',
    ...(disposition === undefined ? [] : [`Content-Disposition: ${disposition}`]),
    '',
    ...(encoded.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []),
  ];
}

/** RFC 5322 §3.3, in UTC. */
const mailDate = (instant: string): string => new Date(instant).toUTCString().replace('GMT', '+0000');

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
