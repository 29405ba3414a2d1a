import { readUrl } from './read-url.js';

/** Query members that carry a right to read: such a link is for a backend, not for the public (DAP-UV-014). */
const SIGNED =
  /[?&](?:x-amz-|x-goog-|(?:signature|sig|token|access_token|id_token|api_?key|auth|password|key-pair-id)=)/i;

/** An https URL that anybody may be given. @returns undefined for anything else. */
export function publicLink(raw: string): string | undefined {
  const url = readUrl(raw.trim());
  return url === undefined || !/^https:/i.test(url) || SIGNED.test(url) ? undefined : url;
}
