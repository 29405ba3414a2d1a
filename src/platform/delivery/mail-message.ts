const LINE = 76;

/** A mail before it is written down. Subject and addresses are one line of ASCII each. */
export interface MailMessage {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** RFC 3339; the same for every attempt. */
  readonly date: string;
  readonly messageId: string;
  readonly text: string;
  readonly attachment?: { readonly fileName: string; readonly content: string };
}

/** The mail as a file (RFC 5322, RFC 2046): what is to be read, and what is to be kept as it is. */
export function mailMessage({ from, to, subject, date, messageId, text, attachment }: MailMessage): string {
  const boundary = 'forecourt-part';
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${mailDate(date)}`,
    `Message-ID: <${messageId}@${domainOf(from)}>`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
  ];
  const kept =
    attachment === undefined
      ? []
      : part(boundary, 'application/octet-stream', attachment.content, `attachment; filename="${attachment.fileName}"`);
  const parts = [...part(boundary, 'text/plain; charset=utf-8', text), ...kept];
  return [...head, '', ...parts, `--${boundary}--`, ''].join('\r\n');
}

function part(boundary: string, type: string, content: string, disposition?: string): string[] {
  const encoded = Buffer.from(content).toString('base64');
  return [
    `--${boundary}`,
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
