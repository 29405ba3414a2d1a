import { readUrl } from './read-url.js';

const SIGNED =
  /[?&](?:x-amz-|x-goog-|(?:signature|sig|token|access_token|id_token|api_?key|auth|password|key-pair-id)=)/i;

/** Whether a link carries a right to read in its query: such a link is for a backend, not for the public (DAP-UV-014). */
export const carriesRight = (url: string): boolean => SIGNED.test(url);

/** An https URL that anybody may be given. @returns undefined for anything else. */
export function publicLink(raw: string): string | undefined {
  const url = readUrl(raw.trim());
  return url === undefined || !/^https:/i.test(url) || carriesRight(url) ? undefined : url;
}
