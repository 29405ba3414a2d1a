import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Escapes of letters, digits, `-`, `.`, `_` and `~`. */
const ESCAPED_UNRESERVED = /%(?:2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)/gi;
const BROKEN_ESCAPE = /%(?![0-9A-F]{2})/i;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * The one spelling of what a request asks for, so that whoever looks at the path sees what the router sees: `/%61dmin` is
 * `/admin` (RFC 3986 §6.2.2.2), and `http://host/path` is `/path` at that host, whatever `Host` says (RFC 9112 §3.2.2).
 * A broken escape is left for the router to refuse.
 */
export function canonicalTarget(request: Pick<IncomingMessage, 'url' | 'headers'>): string {
  const { url = '/' } = request;
  const target = url.startsWith('/') ? url : originForm(request, url);
  const [path = '', ...query] = target.split('?');
  if (!path.includes('%') || BROKEN_ESCAPE.test(path)) return target;
  const plain = path.replace(ESCAPED_UNRESERVED, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
  return [plain, ...query].join('?');
}

/** Whether the route that was found is one of the admin API, however it was spelled. */
export const isAdminRoute = ({ routeOptions, url }: Pick<FastifyRequest, 'routeOptions' | 'url'>): boolean =>
  (routeOptions.url ?? url).startsWith('/admin/');

/** Node hands on the first of several `Host` headers; a proxy in front may have looked at another (RFC 9112 §3.2). */
export function isHostRepeated({ raw: { rawHeaders } }: Pick<FastifyRequest, 'raw'>): boolean {
  let named = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') named++;
  return named > 1;
}

function originForm({ headers }: Pick<IncomingMessage, 'headers'>, url: string): string {
  const [, authority, rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined) return url; // `*`
  headers.host = authority;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
