/** A URL in plain characters needs no second look; everything else goes through the parser. */
const PLAIN =
  /^https?:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:[/?#](?:[\w\-.~:/?#@!$&'()*+,;=]|%[0-9a-f]{2})*)?$/i;
/** Addresses, names without a dot and names of a house's own network are no places for the public, and who follows one may be inside. */
const NOT_PUBLIC = /^https?:\/\/(?:[^./?#:]+|[^/?#:]*\.(?:\d+|0x[0-9a-f]*|localhost|local|internal))(?:[:/?#]|$)/i;
/** Longer ones are data, not addresses. */
const MAX_URL = 2048;

/**
 * An absolute http or https URL with a public host and without credentials; `//host/…` becomes https.
 * @returns undefined for anything else.
 */
export function readUrl(raw: string): string | undefined {
  const text = raw.startsWith('//') ? `https:${raw}` : raw;
  if (text.length > MAX_URL) return undefined;
  if (PLAIN.test(text)) return NOT_PUBLIC.test(text) ? undefined : text;
  if (!/^https?:\/\/[^\s/]/i.test(text) || /[\s\u0000-\u001f\u007f<>"\\]/.test(text)) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  return url.href.length > MAX_URL || !PLAIN.test(url.href) || NOT_PUBLIC.test(url.href) ? undefined : url.href;
}

/** A link that may be relative to a base. */
export function resolveUrl(raw: string, base: string | undefined): string | undefined {
  const absolute = readUrl(raw);
  if (absolute !== undefined || base === undefined || /^[a-z][a-z0-9+.-]*:/i.test(raw) || /\s/.test(raw))
    return absolute;
  return URL.canParse(raw, base) ? readUrl(new URL(raw, base).href) : undefined;
}
