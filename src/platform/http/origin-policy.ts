import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../config/settings.js';
import { isLoopback } from '../config/load-settings.js';

const ALLOWED_HEADERS =
  'Authorization, DPoP, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent, tracestate, Idempotency-Key, If-Match';
const EXPOSED_HEADERS = 'WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, ETag, X-Request-Id';

/**
 * Which Host and Origin values are served. An unknown Host is refused because a browser can be made to resolve any name to
 * this address (DNS rebinding); an unknown Origin is refused on every request that carries one (MCP transports).
 */
export class OriginPolicy {
  private readonly hosts: ReadonlySet<string>;
  private readonly origins: ReadonlySet<string>;
  private readonly loopbackNames: boolean;

  constructor(settings: Settings, publicUrl: string) {
    const own = new URL(publicUrl);
    this.hosts = new Set([own.host, ...settings.ALLOWED_HOSTS].map((h) => h.toLowerCase()));
    this.origins = new Set([own.origin, ...settings.ALLOWED_ORIGINS]);
    this.loopbackNames = isLoopback(settings.HOST);
  }

  servesHost(host: string | undefined): boolean {
    if (host === undefined) return false;
    const name = host.toLowerCase();
    return this.hosts.has(name) || (this.loopbackNames && isLoopback(hostName(name)));
  }

  servesOrigin(origin: string): boolean {
    if (this.origins.has(origin)) return true;
    return this.loopbackNames && URL.canParse(origin) && isLoopback(hostName(new URL(origin).host));
  }

  /** Adds what a browser client needs to read the answer. Never `*`, never credentials. */
  addCorsHeaders(request: FastifyRequest, reply: FastifyReply): void {
    const { origin } = request.headers;
    reply.header('vary', 'Origin');
    if (origin === undefined || !this.servesOrigin(origin)) return;
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED_HEADERS);
  }

  /** Answers a preflight of an allowed origin. */
  answerPreflight(request: FastifyRequest, reply: FastifyReply, methods: string): void {
    this.addCorsHeaders(request, reply);
    reply
      .code(204)
      .header('access-control-allow-methods', methods)
      .header('access-control-allow-headers', ALLOWED_HEADERS)
      .header('access-control-max-age', '600')
      .send();
  }
}

export const ORIGIN_POLICY = Symbol('OriginPolicy');

/** A name or an address, and a port (RFC 9110 §7.2). Whatever else a header holds is no host, however it begins. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^\s:@/?#[\]]+))(?::\d{1,5})?$/i;

function hostName(host: string): string {
  const [, address, name] = HOST.exec(host) ?? [];
  return address ?? name ?? '';
}
